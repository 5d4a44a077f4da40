import t from 'tap';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText } from '../report-fixture.ts';

const ana = { name: 'ana' };
const id = 'RT-GET-document';

t.test('a renamed scenario has its new ID in the text, and one history under both ids', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { catalogue } = control;
  const renamed = await catalogue.rename('app', id, { new_id: 'RT-doc', if_revision: 1 }, ana);
  t.match(renamed, { scenario_id: 'RT-doc', revision: 2, text: createScenarioText('RT-doc'), updated_by: 'ana' });
  for (const name of [id, 'RT-doc']) {
    t.match(await catalogue.get('app', name), { scenario_id: 'RT-doc', revision: 2 }, name);
    t.match(await catalogue.get('app', name, 1), { scenario_id: id, text: createScenarioText() }, name);
    t.match(
      await catalogue.history('app', name),
      [
        { scenario_id: 'RT-doc', revision: 2 },
        { scenario_id: id, revision: 1 },
      ],
      name,
    );
  }
  t.same(
    (await catalogue.list('app', { limit: 10 })).items.map((entry) => entry.scenario_id),
    ['RT-doc'],
  );
  t.same((await catalogue.listDeleted('app', { limit: 10 })).items, [], 'it is renamed, not deleted');
});

t.test('runs are found under both ids, and the former id still runs the scenario', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const [before] = await control.runs.request('app', { scenarios: [{ id }] }, ana);
  await control.catalogue.rename('app', id, { new_id: 'RT-doc' }, ana);
  const [after] = await control.runs.request('app', { scenarios: [{ id }] }, ana);
  t.match(after, { scenario_id: 'RT-doc', revision: 2 });
  for (const scenario of [id, 'RT-doc']) {
    const { items } = await control.runs.list({ instance: 'app', scenario }, { limit: 10 });
    t.same(
      items.map(({ run_id }) => run_id),
      [after?.run_id, before?.run_id],
      scenario,
    );
    const first = await control.runs.list({ instance: 'app', scenario }, { limit: 1 });
    const rest = await control.runs.list({ instance: 'app', scenario }, { limit: 1, cursor: first.next_cursor ?? '' });
    t.equal(rest.items[0]?.run_id, before?.run_id, 'pages go on under the former id');
    t.equal((await control.runs.list({ instance: 'app', scenario, states: ['queued'] }, { limit: 9 })).items.length, 2);
  }
});

t.test('a rename can be taken back, and changes under a former id are refused', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { catalogue } = control;
  await catalogue.rename('app', id, { new_id: 'RT-doc' }, ana);
  const renamed = { code: 'SCENARIO_RENAMED', values: { scenario: id, new_id: 'RT-doc' } };
  await t.rejects(catalogue.remove('app', id, ana), renamed);
  await t.rejects(catalogue.rename('app', id, { new_id: 'RT-other' }, ana), renamed);
  await t.rejects(catalogue.restore('app', id, { revision: 1 }, ana), renamed);
  await t.rejects(catalogue.write('app', id, { text: createScenarioText(), if_revision: 1 }, ana), renamed);
  t.match(await catalogue.rename('app', 'RT-doc', { new_id: id }, ana), { scenario_id: id, revision: 3 });
  t.match(await catalogue.get('app', 'RT-doc'), { scenario_id: id, text: createScenarioText() });
  t.same(
    (await catalogue.history('app', id)).map(({ revision }) => revision),
    [3, 2, 1],
  );
});

t.test('an ID that another scenario has or had is refused', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { catalogue } = control;
  await catalogue.write('app', 'RT-two', { text: createScenarioText('RT-two') }, ana);
  const taken = { code: 'SCENARIO_ID_TAKEN', values: { id: 'RT-two' } };
  await t.rejects(catalogue.rename('app', id, { new_id: 'RT-two' }, ana), taken);
  await catalogue.remove('app', 'RT-two', ana);
  await t.rejects(catalogue.rename('app', id, { new_id: 'RT-two' }, ana), { ...taken, message: /deleted scenario/ });
  await t.rejects(catalogue.rename('app', id, { new_id: 'RT-new', if_revision: 7 }, ana), {
    code: 'SCENARIO_CHANGED',
    values: { found: 1, expected: 7 },
  });
  await t.rejects(catalogue.rename('app', 'RT-none', { new_id: 'RT-new' }, ana), { code: 'SCENARIO_UNKNOWN' });
});

t.test('a former ID that is written again is a scenario of its own', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { catalogue } = control;
  await catalogue.rename('app', id, { new_id: 'RT-doc' }, ana);
  t.match(await catalogue.write('app', id, { text: createScenarioText(), if_revision: 0 }, ana), { revision: 2 });
  t.match(await catalogue.history('app', 'RT-doc'), [{ scenario_id: 'RT-doc', revision: 2 }]);
  await t.rejects(catalogue.rename('app', 'RT-doc', { new_id: id }, ana), { code: 'SCENARIO_ID_TAKEN' });
});

t.test('a deleted scenario is listed with its time and name, and restored with any of its revisions', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const { catalogue } = control;
  const changed = createScenarioText(id, 'body has count');
  await catalogue.write('app', id, { text: changed }, ana);
  clock.advance(1000);
  await t.rejects(catalogue.remove('app', id, ana, 1), { code: 'SCENARIO_CHANGED' });
  await catalogue.remove('app', id, ana, 2);
  const deleted_at = new Date(clock.nowMs()).toISOString();
  t.match((await catalogue.listDeleted('app', { limit: 10 })).items, [
    { scenario_id: id, revision: 2, deleted_at, deleted_by: 'ana' },
  ]);
  t.match(await catalogue.restore('app', id, { revision: 1 }, { name: 'ben' }), {
    ...{ revision: 3, restored_from: 1, text: createScenarioText(), updated_by: 'ben' },
  });
  t.same((await catalogue.listDeleted('app', { limit: 10 })).items, []);
  t.match(await catalogue.restore('app', id, { revision: 1 }, ana), { revision: 3 }, 'it already has that text');
  t.match(await catalogue.restore('app', id, { revision: 2, if_revision: 3 }, ana), { revision: 4, text: changed });
  await t.rejects(catalogue.restore('app', id, { revision: 9 }, ana), { code: 'SCENARIO_REVISION_UNKNOWN' });
  await t.rejects(catalogue.restore('app', 'RT-none', { revision: 1 }, ana), { code: 'SCENARIO_UNKNOWN' });
});

t.test('a revision of a former name is restored under the present one', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { catalogue } = control;
  await catalogue.rename('app', id, { new_id: 'RT-doc' }, ana);
  const edited = createScenarioText('RT-doc', 'body has count');
  await catalogue.write('app', 'RT-doc', { text: edited }, ana);
  t.match(await catalogue.restore('app', 'RT-doc', { revision: 1 }, ana), {
    ...{ scenario_id: 'RT-doc', revision: 4, restored_from: 1, text: createScenarioText('RT-doc') },
  });
});

t.test('both ids of a rename are changes of the stream', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const since = await control.changes.head();
  await control.catalogue.rename('app', id, { new_id: 'RT-doc' }, ana);
  const { events } = await control.changes.list(since, 'app', 10);
  t.match(events, [
    { type: 'scenario', scenario_id: id, deleted: true },
    { type: 'scenario', scenario_id: 'RT-doc', revision: 2, deleted: false },
  ]);
});
