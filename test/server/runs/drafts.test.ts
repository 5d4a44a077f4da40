/** Runs of texts that are not in the catalogue. */
import t from 'tap';
import { createScenarioText } from '../../control/report-fixture.ts';
import { inviteMember, setUpOwner } from '../test-browser.ts';
import { startTestServer } from '../test-server.ts';

t.test('a draft runs without being put into the catalogue, and an unchanged text runs as its revision', async (t) => {
  const api = await startTestServer(t);
  const ana = await setUpOwner(api);
  await ana.ask('POST', '/api/v1/instances', { instance_id: 'shop' });
  const text = createScenarioText();
  await ana.ask('PUT', '/api/v1/instances/shop/scenarios/RT-GET-document', { text });
  const draft = text.replace('## EXPECT', '## EXPECT\n');
  const scenarios = [{ text: draft }, { text }, { text: createScenarioText('RT-NEW') }];
  const response = await ana.ask('POST', '/api/v1/instances/shop/runs', { scenarios });
  t.match(await response.json(), {
    runs: [
      { scenario_id: 'RT-GET-document', revision: null, origin: 'queue' },
      { scenario_id: 'RT-GET-document', revision: 1 },
      { scenario_id: 'RT-NEW', revision: null },
    ],
  });
  const { items } = await (await ana.ask('GET', '/api/v1/instances/shop/scenarios')).json();
  t.match(items, [{ scenario_id: 'RT-GET-document', revision: 1 }]);
  t.equal(items.length, 1);
});

t.test('only who may write scenarios of an instance may run a text there', async (t) => {
  const api = await startTestServer(t);
  const ana = await setUpOwner(api);
  const max = await inviteMember(api, ana, 'Max', 'member');
  const eve = await inviteMember(api, ana, 'Eve', 'member');
  await max.ask('POST', '/api/v1/instances', { instance_id: 'of-max' });
  const text = createScenarioText();
  await max.ask('PUT', '/api/v1/instances/of-max/scenarios/RT-GET-document', { text });
  const request = (scenarios: object[]) => ({ scenarios });
  const path = '/api/v1/instances/of-max/runs';
  t.equal((await max.ask('POST', path, request([{ text }]))).status, 202);
  t.equal((await ana.ask('POST', path, request([{ text }]))).status, 202);
  t.equal((await eve.ask('POST', path, request([{ id: 'RT-GET-document' }]))).status, 202);
  const refused = await eve.ask('POST', path, request([{ id: 'RT-GET-document' }, { text }]));
  t.match(await refused.json(), { code: 'INSTANCE_FOREIGN', status: 403 });
});
