import t from 'tap';
import { createScenarioText } from '../../control/report-fixture.ts';
import { inviteMember, setUpOwner } from '../test-browser.ts';
import { registerInstance, startTestServer } from '../test-server.ts';

const base = '/api/v1/instances/sign-dev';
const path = `${base}/scenarios/RT-GET-document/quarantine`;
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

t.test('a scenario is put in quarantine, listed and released, and the security log says by whom', async (t) => {
  const api = await startTestServer(t, { checkResponses: true });
  await registerInstance(api);
  await api.ask('PUT', `${base}/scenarios/RT-GET-document`, { text: createScenarioText() });
  const until = inDays(14);
  const set = await api.ask('PUT', path, { until, reason: 'the index is rebuilt' });
  t.equal(set.status, 200);
  t.match(await set.json(), { scenario_id: 'RT-GET-document', days_left: 14, owner: 'owner', until });
  t.match(await (await api.ask('GET', `${base}/quarantines`)).json(), { items: [{ reason: 'the index is rebuilt' }] });
  t.match(await (await api.ask('GET', `${base}/health`)).json(), { scenarios: [{ quarantine: { until } }] });
  t.equal((await api.ask('DELETE', path)).status, 204);
  t.match(await (await api.ask('GET', `${base}/quarantines`)).json(), { items: [] });
  const own = { by: 'owner', instance: 'sign-dev', scenario: 'RT-GET-document' };
  t.match(
    api.security.filter(({ event }) => event.startsWith('scenario_')),
    [
      { event: 'scenario_quarantined', ...own, until },
      { event: 'scenario_released', ...own },
    ],
  );
});

t.test('what cannot be a quarantine is refused with its reason, and leaves no line in the log', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  await api.ask('PUT', `${base}/scenarios/RT-GET-document`, { text: createScenarioText() });
  const refuse = async (body: object) => (await api.ask('PUT', path, body)).json();
  t.match(await refuse({ until: inDays(-1), reason: 'x' }), { code: 'QUARANTINE_INVALID', status: 422 });
  t.match(await refuse({ until: inDays(92), reason: 'x' }), { code: 'QUARANTINE_INVALID' });
  t.match(await refuse({ until: inDays(1) }), { code: 'REQUEST_INVALID' });
  t.match(await refuse({ until: '2026-12-31', reason: 'x' }), { code: 'REQUEST_INVALID' });
  t.match(await refuse({ until: inDays(1), reason: 'x', till: 1 }), { code: 'REQUEST_INVALID' });
  t.match(await (await api.ask('DELETE', path)).json(), { code: 'QUARANTINE_ABSENT', status: 404 });
  const draft = await api.ask('PUT', path.replace('RT-GET-document', 'RT-DRAFT'), { until: inDays(1), reason: 'x' });
  t.match(await draft.json(), { code: 'SCENARIO_UNKNOWN', status: 404 });
  t.same(
    api.security.filter(({ event }) => event.startsWith('scenario_')),
    [],
  );
});

t.test('a viewer, and a member without the instance, read quarantines and decide nothing', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  await api.ask('PUT', `${base}/scenarios/RT-GET-document`, { text: createScenarioText() });
  const owner = await setUpOwner(api);
  for (const role of ['viewer', 'member'] as const) {
    const person = await inviteMember(api, owner, role, role);
    t.equal((await person.ask('GET', `${base}/quarantines`)).status, 200);
    t.match(await (await person.ask('PUT', path, { until: inDays(1), reason: 'x' })).json(), { status: 403 }, role);
    t.match(await (await person.ask('DELETE', path)).json(), { status: 403 });
  }
});
