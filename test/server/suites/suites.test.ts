import t from 'tap';
import { createScenarioText } from '../../control/report-fixture.ts';
import { startTestServer } from '../test-server.ts';

t.test('a suite is read, reported, cancelled and run again over HTTP', async (t) => {
  const { ask, control } = await startTestServer(t);
  await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  for (const id of ['A', 'B']) {
    const text = createScenarioText().replaceAll('RT-GET-document', id);
    await control.catalogue.write('app', id, { text }, { name: 'owner' });
  }
  const base = '/api/v1/instances/app/suites';
  const requested = await ask('POST', '/api/v1/instances/app/runs', {
    scenarios: [{ id: 'A' }, { id: 'B' }],
    suite: { name: 'smoke', source: { branch: 'main' } },
  });
  const { runs } = (await requested.json()) as { runs: { suite: string; source: unknown }[] };
  const suite = runs[0]?.suite ?? '';
  t.match(runs[0], { source: { branch: 'main' } });
  t.match(await (await ask('GET', `${base}?branch=main`)).json(), { items: [{ suite_id: suite, name: 'smoke' }] });
  t.match(await (await ask('GET', `${base}/${suite}`)).json(), { state: 'in_progress', counts: { queued: 2 } });
  const list = await (await ask('GET', `/api/v1/instances/app/runs?suite=${suite}`)).json();
  t.equal((list as { items: unknown[] }).items.length, 2);
  t.same(await (await ask('POST', `${base}/${suite}/cancel`)).json(), { cancelled: 2 });
  t.match(await (await ask('GET', `${base}/${suite}`)).json(), { state: 'ended', outcome: 'cancelled' });
  const junit = await ask('GET', `${base}/${suite}/report`);
  t.match(junit.headers.get('content-type'), 'application/xml');
  t.match(await junit.text(), /tests="2" failures="0" errors="2"/);
  const again = await ask('POST', `${base}/${suite}/rerun`, {});
  t.equal(again.status, 202);
  t.match(await again.json(), { suite: { rerun_of: suite, counts: { queued: 2 } }, runs: [{}, {}] });
  const planned = await ask('POST', base, { key: 'k', shards: 2, scenarios: ['A', 'B'] });
  t.match(await planned.json(), { shards: [['A'], ['B']], state: 'incomplete', counts: { not_requested: 2 } });
});

t.test('the page of a CI job must be a web address', async (t) => {
  const { ask, control } = await startTestServer(t);
  await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  const body = { scenarios: [{ id: 'A' }], suite: { source: { url: 'javascript:alert(1)' } } };
  t.match(await (await ask('POST', '/api/v1/instances/app/runs', body)).json(), { code: 'REQUEST_INVALID' });
});
