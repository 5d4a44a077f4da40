import t from 'tap';
import { createScenarioText } from '../../control/report-fixture.ts';
import { completeRun } from '../../control/runs/run-history.ts';
import { registerInstance, startTestServer } from '../test-server.ts';

const failuresPath = '/api/v1/instances/app/failures';

t.test('failures are listed, read and changed over the API', async (t) => {
  const api = await startTestServer(t);
  await api.control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await api.control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
  await completeRun(api.control, { result: 'failed', version: '1.0' });
  const { items } = await (await api.ask('GET', failuresPath)).json();
  t.match(items, [{ state: 'open', failing: true, runs: 1, first_seen: { target_version: '1.0' } }]);
  const path = `${failuresPath}/${items[0].failure_id}`;
  t.match(await (await api.ask('GET', path)).json(), { versions: [{ target_version: '1.0' }], newest_runs: [{}] });
  const change = await api.ask('PUT', path, { state: 'resolved', assignee: 'Ana', note: 'see #12' });
  t.match(await change.json(), { state: 'resolved', resolved_by: 'owner', assignee: 'Ana', note: 'see #12' });
  t.match(await (await api.ask('GET', `${failuresPath}?state=resolved&assignee=Ana`)).json(), { items: [{ runs: 1 }] });
  t.match(await (await api.ask('GET', `${failuresPath}?state=failing`)).json(), { items: [] });
  t.match(await (await api.ask('PUT', path, { state: 'gone' })).json(), { code: 'REQUEST_INVALID' });
  t.match(await (await api.ask('PUT', path, { stat: 'open' })).json(), { code: 'REQUEST_INVALID' });
  t.match(await (await api.ask('GET', `${failuresPath}/0123456789abcdef`)).json(), { code: 'FAILURE_UNKNOWN' });
  t.match(await (await api.ask('GET', `${failuresPath}?state=bad`)).json(), { code: 'REQUEST_INVALID' });
});

t.test('the version that a request names stands over that of the response', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api, 'app');
  await api.control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
  const named = await completeRun(api.control, { version: '1.0', requestedVersion: '4f2c9e1' });
  const observed = await completeRun(api.control, { version: '1.0' });
  t.match(await (await api.ask('GET', `/api/v1/runs/${named}`)).json(), { target_version: '4f2c9e1' });
  t.match(await (await api.ask('GET', `/api/v1/runs/${observed}`)).json(), { target_version: '1.0' });
  const wrong = { scenarios: [{ id: 'RT-GET-document' }], target_version: ' 1.0' };
  t.match(await (await api.ask('POST', '/api/v1/instances/app/runs', wrong)).json(), { code: 'REQUEST_INVALID' });
});
