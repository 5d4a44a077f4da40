import t from 'tap';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText } from '../report-fixture.ts';

const ana = { name: 'ana' };
const id = 'RT-GET-document';

t.test('each write creates a revision, except when the text is unchanged', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const changed = createScenarioText(id, 'body has count');
  t.match(await control.catalogue.write('app', id, { text: changed }, ana), { revision: 2, updated_by: 'ana' });
  t.match(await control.catalogue.write('app', id, { text: changed }, ana), { revision: 2 });
  t.match(await control.catalogue.get('app', id), { text: changed, title: 'GET document', tags: ['http'] });
  t.match(await control.catalogue.get('app', id, 1), { text: createScenarioText() });
  t.same(
    (await control.catalogue.history('app', id)).map((entry) => entry.revision),
    [2, 1],
  );
  await t.rejects(control.catalogue.get('app', id, 3), { code: 'SCENARIO_REVISION_UNKNOWN' });
});

t.test('a writer who has not seen the newest revision is refused', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const text = createScenarioText(id, 'body has count');
  const stale = { code: 'SCENARIO_CHANGED', values: { found: 1, expected: 0 } };
  await t.rejects(control.catalogue.write('app', id, { text, if_revision: 0 }, ana), stale);
  t.match(await control.catalogue.write('app', id, { text, if_revision: 1 }, ana), { revision: 2 });
});

t.test('only valid texts are accepted, under their own ID', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await t.rejects(control.catalogue.write('app', id, { text: '# nothing' }, ana), { code: 'SCENARIO_REFUSED' });
  await t.rejects(control.catalogue.write('app', 'RT-other', { text: createScenarioText() }, ana), {
    code: 'SCENARIO_ID_DIFFERS',
  });
  await t.rejects(control.catalogue.write('nobody', id, { text: createScenarioText() }, ana), {
    code: 'INSTANCE_UNKNOWN',
  });
});

t.test('deleting a scenario keeps its revisions, and revision numbers continue when it is written again', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await control.catalogue.remove('app', id, ana);
  await t.rejects(control.catalogue.get('app', id), { code: 'SCENARIO_DELETED', message: /revision 1 by ana/ });
  await t.rejects(control.catalogue.remove('app', id, ana), { code: 'SCENARIO_DELETED' });
  t.match(await control.catalogue.get('app', id, 1), { text: createScenarioText() });
  t.match(await control.catalogue.write('app', id, { text: createScenarioText(), if_revision: 0 }, ana), {
    revision: 2,
  });
});

t.test('pages are ordered by id', async (t) => {
  const { control } = await openTestControlWithApp(t);
  for (const name of ['b', 'a', 'c'])
    await control.catalogue.write('app', name, { text: createScenarioText(name) }, ana);
  const first = await control.catalogue.list('app', { limit: 2 });
  const rest = await control.catalogue.list('app', { limit: 2, cursor: first.next_cursor ?? '' });
  t.same(
    [...first.items, ...rest.items].map((entry) => entry.scenario_id),
    [id, 'a', 'b', 'c'],
  );
});

t.test('placeholders are checked against the names that the executor allows', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const text = createScenarioText().replace('X-Request-Id', 'X-Tenant: ${TENANT}\nX-Request-Id');
  await t.resolves(control.catalogue.write('app', id, { text }, ana), 'nothing is known before the first greeting');
  const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  await control.executorPort('app').hello({ ...hello, scenario_variables: ['REGION'] });
  const other = `${text}\n`;
  await t.rejects(control.catalogue.write('app', id, { text: other }, ana), {
    code: 'SCENARIO_REFUSED',
    message: /TENANT/,
  });
  await control.executorPort('app').hello({ ...hello, scenario_variables: ['TENANT'] });
  t.match(await control.instances.get('app'), { scenario_variables: ['TENANT'] });
  await t.resolves(control.catalogue.write('app', id, { text: other }, ana));
});
