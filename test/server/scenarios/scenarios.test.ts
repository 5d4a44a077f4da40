import t from 'tap';
import { createScenarioText } from '../../control/report-fixture.ts';
import { registerInstance, startTestServer } from '../test-server.ts';

const base = '/api/v1/instances/sign-dev/scenarios';

t.test('a scenario is written, listed, read by revision and removed', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const first = await api.ask('PUT', `${base}/RT-GET-document`, { text: createScenarioText() });
  t.equal(first.status, 200);
  t.match(await first.json(), { scenario_id: 'RT-GET-document', revision: 1, updated_by: 'owner' });
  const second = createScenarioText('RT-GET-document', 'body has count');
  await api.ask('PUT', `${base}/RT-GET-document`, { text: second, if_revision: 1 });
  const newest = await (await api.ask('GET', `${base}/RT-GET-document`)).json();
  t.match(newest, { revision: 2, text: second });
  t.equal((await (await api.ask('GET', `${base}/RT-GET-document?revision=1`)).json()).text, createScenarioText());
  const { items } = await (await api.ask('GET', base)).json();
  t.same(
    items,
    [{ ...newest, text: undefined }].map(({ text: _text, ...entry }) => entry),
  );
  const revisions = await (await api.ask('GET', `${base}/RT-GET-document/revisions`)).json();
  t.same(
    revisions.items.map(({ revision }: { revision: number }) => revision),
    [2, 1],
  );
  t.equal((await api.ask('DELETE', `${base}/RT-GET-document`)).status, 204);
  t.match(await (await api.ask('GET', `${base}/RT-GET-document`)).json(), { code: 'SCENARIO_DELETED', status: 404 });
});

t.test('a text with errors is refused with all errors', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const refused = await api.ask('PUT', `${base}/RT-GET-document`, { text: '# Scenario: GET document\n' });
  t.equal(refused.status, 422);
  const problem = await refused.json();
  t.equal(problem.code, 'SCENARIO_REFUSED');
  t.ok(problem.diagnostics.length > 1);
});

t.test('a write based on an older revision is refused', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  await api.ask('PUT', `${base}/RT-GET-document`, { text: createScenarioText() });
  const late = await api.ask('PUT', `${base}/RT-GET-document`, { text: createScenarioText(), if_revision: 0 });
  t.equal(late.status, 409);
  t.equal((await late.json()).code, 'SCENARIO_CHANGED');
});

t.test('a misspelt guard does not overwrite', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const refused = await api.ask('PUT', `${base}/RT-GET-document`, { text: createScenarioText(), if_revison: 1 });
  t.match(await refused.json(), { code: 'REQUEST_INVALID', detail: /if_revison/ });
});

t.test('a text of 9 MB is refused unread', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const refused = await api.ask('PUT', `${base}/RT-GET-document`, { text: 'x'.repeat(9_000_000) });
  t.equal(refused.status, 413);
  t.match(await refused.json(), { code: 'BODY_TOO_LARGE' });
});

t.test('pages contain each scenario once', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const ids = ['RT-A', 'RT-B', 'RT-C', 'RT-D', 'RT-E'];
  for (const id of ids) await api.ask('PUT', `${base}/${id}`, { text: createScenarioText(id) });
  const seenIds: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await (await api.ask('GET', `${base}?limit=2${query}`)).json();
    t.ok(page.items.length <= 2);
    seenIds.push(...page.items.map((item: { scenario_id: string }) => item.scenario_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  t.same(seenIds, ids);
});

t.test('limits outside 1 to 1,000, and unknown parameters, are refused', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  for (const query of ['limit=0', 'limit=1001', 'limit=ten', 'limit=', 'limit=1&limit=2', 'limits=1', 'cursor[]=a']) {
    const refused = await api.ask('GET', `${base}?${query}`);
    t.equal(refused.status, 400, query);
    t.match(await refused.json(), { code: 'REQUEST_INVALID', detail: /^query parameter/ }, query);
  }
});

t.test('a scenario is renamed, deleted, found among the deleted ones and restored', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  await api.ask('PUT', `${base}/RT-GET-document`, { text: createScenarioText() });
  const renamed = await api.ask('POST', `${base}/RT-GET-document/rename`, { new_id: 'RT-doc', if_revision: 1 });
  t.match(await renamed.json(), { scenario_id: 'RT-doc', revision: 2, text: createScenarioText('RT-doc') });
  t.equal((await api.ask('DELETE', `${base}/RT-doc?if_revision=1`)).status, 409);
  t.equal((await api.ask('DELETE', `${base}/RT-doc?if_revision=2`)).status, 204);
  t.same((await (await api.ask('GET', base)).json()).items, []);
  const deleted = await (await api.ask('GET', `${base}?deleted=true`)).json();
  t.match(deleted.items, [{ scenario_id: 'RT-doc', revision: 2, deleted_by: 'owner', deleted_at: /^\d{4}-/ }]);
  const restored = await api.ask('POST', `${base}/RT-doc/restore`, { revision: 1 });
  t.match(await restored.json(), { scenario_id: 'RT-doc', revision: 3, restored_from: 1 });
  t.match((await (await api.ask('GET', base)).json()).items, [{ scenario_id: 'RT-doc', revision: 3 }]);
});

t.test('an import does not overwrite an edit', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  await api.ask('PUT', `${base}/RT-GET-document`, { text: createScenarioText() });
  const file = { text: createScenarioText('RT-GET-document', 'body has total'), source: 'ab'.repeat(32) };
  const conflict = await api.ask('POST', `${base}/RT-GET-document/import`, { ...file, base_revision: 0 });
  t.equal(conflict.status, 200);
  t.match(await conflict.json(), { outcome: 'conflict', base_revision: null, scenario: { revision: 1 } });
  const preferred = await api.ask('POST', `${base}/RT-GET-document/import`, { ...file, prefer: 'file' });
  t.match(await preferred.json(), { outcome: 'updated', scenario: { revision: 2 } });
  const refused = await api.ask('POST', `${base}/RT-GET-document/import`, { ...file, prefer: 'mine' });
  t.match(await refused.json(), { code: 'REQUEST_INVALID' });
});

t.test('an ID that is not one is no new ID', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  await api.ask('PUT', `${base}/RT-GET-document`, { text: createScenarioText() });
  const refused = await api.ask('POST', `${base}/RT-GET-document/rename`, { new_id: '../evil' });
  t.match(await refused.json(), { code: 'REQUEST_INVALID' });
});
