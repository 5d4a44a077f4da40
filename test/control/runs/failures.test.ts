import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t from 'tap';
import type { FailureListFilter } from '../../../src/control/control.ts';
import { skipOnPostgres } from '../../store/engine-under-test.ts';
import { openTestControl, openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText } from '../report-fixture.ts';
import { completeRun } from './run-history.ts';

const ana = { name: 'ana' };
const minuteMs = 60_000;
const dayMs = 86_400_000;

t.test(
  'failed runs with the same outcome are one failure with its first and last run and their versions',
  async (t) => {
    const { control, clock } = await openTestControlWithApp(t);
    const list = async () => (await control.failures.list({ instance: 'app' }, { limit: 50 })).items;
    const fail = (actual: string, version: string) =>
      completeRun(control, { result: 'failed', check: { actual }, version, nowMs: clock.nowMs() });
    t.same(await list(), []);
    await completeRun(control, { version: '1.0' });
    clock.advance(minuteMs);
    const first = await fail('10', '1.1');
    clock.advance(dayMs);
    const last = await fail('12', '1.2');
    const [failure, ...others] = await list();
    t.same(others, []);
    t.match(failure, {
      scenario_id: 'RT-GET-document',
      check: 'body has count equals 1',
      line: 19,
      outcome: '#',
      summary: 'body has count equals 1: got 12',
      state: 'open',
      failing: true,
      runs: 2,
      first_seen: { run_id: first, target_version: '1.1' },
      last_seen: { run_id: last, target_version: '1.2' },
      reopened: null,
      assignee: null,
    });
    t.same(failure?.days.slice(-2), [1, 1]);
    t.equal((await control.runs.get(last)).failure, failure?.failure_id, 'the run names its failure');
    const document = await control.failures.get('app', failure?.failure_id ?? '');
    t.match(document.versions, [
      { target_version: '1.2', runs: 1 },
      { target_version: '1.1', runs: 1 },
    ]);
    t.same(
      document.newest_runs.map(({ run_id: id }) => id),
      [last, first],
    );
  },
);

t.test('a failure is failing until its scenario passes or fails otherwise', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const ids = async (state: FailureListFilter['state']) =>
    (await control.failures.list({ instance: 'app', state }, { limit: 50 })).items.map(({ outcome }) => outcome);
  const complete = async (actual?: string) => {
    clock.advance(minuteMs);
    const outline = actual === undefined ? {} : { result: 'failed' as const, check: { actual } };
    await completeRun(control, { ...outline, nowMs: clock.nowMs() });
  };
  await complete('null');
  t.same(await ids('failing'), ['null']);
  await complete('many');
  t.same([await ids('failing'), await ids('open')], [['many'], ['many', 'null']]);
  await complete();
  t.same([await ids('failing'), await ids('open')], [[], ['many', 'null']]);
});

t.test('a resolved failure is opened again by a run that started afterwards, not by one from before', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const fail = (startedAtMs: number, version: string) =>
    completeRun(control, { result: 'failed', version, nowMs: startedAtMs });
  await fail(clock.nowMs(), '1.0');
  const [failure] = (await control.failures.list({ instance: 'app' }, { limit: 1 })).items;
  const id = failure?.failure_id ?? '';
  clock.advance(minuteMs);
  t.match(await control.failures.change('app', id, { state: 'resolved', assignee: 'Ben', note: 'see #12' }, ana), {
    state: 'resolved',
    resolved_by: 'ana',
    assignee: 'Ben',
    note: 'see #12',
  });
  t.same((await control.failures.list({ instance: 'app', state: 'failing' }, { limit: 9 })).items, []);
  clock.advance(minuteMs);
  await fail(clock.nowMs() - 3 * minuteMs, '1.0');
  t.match(await control.failures.get('app', id), { state: 'resolved', runs: 2, reopened: null });
  clock.advance(minuteMs);
  const regression = await fail(clock.nowMs(), '1.1');
  t.match(await control.failures.get('app', id), {
    state: 'open',
    resolved_by: 'ana',
    assignee: 'Ben',
    reopened: { run_id: regression, target_version: '1.1' },
  });
  t.match(await control.failures.change('app', id, { state: 'resolved' }, ana), { reopened: null, note: 'see #12' });
  t.match(await control.failures.change('app', id, { state: 'open', assignee: null }, ana), {
    state: 'open',
    assignee: null,
  });
});

t.test('lists are filtered and read in pages, and unknown names are refused', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await control.catalogue.write('app', 'RT-TWO', { text: createScenarioText('RT-TWO') }, ana);
  for (const actual of ['one', 'two', 'three']) {
    clock.advance(minuteMs);
    await completeRun(control, { result: 'failed', check: { actual } });
  }
  clock.advance(minuteMs);
  await completeRun(control, { scenario: 'RT-TWO', result: 'failed' });
  const read = async (filter: Partial<FailureListFilter>, limit = 50, cursor?: string) =>
    control.failures.list({ instance: 'app', ...filter }, { limit, cursor });
  const page = await read({}, 3);
  t.same(
    page.items.map(({ outcome }) => outcome),
    ['#', 'three', 'two'],
  );
  const rest = await read({}, 3, page.next_cursor ?? '');
  t.match(rest, { items: [{ outcome: 'one' }], next_cursor: null });
  t.equal((await read({ scenario: 'RT-TWO' })).items.length, 1);
  await control.failures.change('app', rest.items[0]?.failure_id ?? '', { assignee: 'Ben' }, ana);
  t.match((await read({ assignee: 'Ben' })).items, [{ outcome: 'one' }]);
  await t.rejects(read({ instance: 'apq' }), { code: 'INSTANCE_UNKNOWN' });
  await t.rejects(read({}, 3, 'nonsense'), { code: 'CURSOR_INVALID' });
  await t.rejects(control.failures.get('app', '0123456789abcdef'), { code: 'FAILURE_UNKNOWN' });
  await t.rejects(control.failures.change('app', '0123456789abcdef', {}, ana), { code: 'FAILURE_UNKNOWN' });
});

t.test(
  'runs that failed before failures were grouped are grouped after the start',
  { skip: skipOnPostgres },
  async (t) => {
    const folder = t.testdir();
    const first = await openTestControl(t, { folder });
    await first.control.instances.create({ instance_id: 'app' }, ana);
    await first.control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, ana);
    for (let count = 0; count < 45; count += 1) {
      first.clock.advance(minuteMs);
      await completeRun(first.control, { result: 'failed', check: { actual: String(count) }, version: `1.${count}` });
    }
    first.clock.advance(minuteMs);
    await completeRun(first.control, {});
    await first.control.close();
    const sqlite = new Sqlite(join(folder, 'control.db'));
    sqlite.exec(`DELETE FROM failure_groups; UPDATE runs SET failure_group = NULL;
    INSERT INTO ungrouped_failures VALUES ('app', 9007199254740991);
    DELETE FROM reports WHERE run_id IN (SELECT id FROM runs ORDER BY id LIMIT 10);`);
    sqlite.close();
    const { control } = await openTestControl(t, { folder, clock: first.clock });
    await control.failuresGrouped();
    t.match((await control.failures.list({ instance: 'app' }, { limit: 9 })).items, [
      { runs: 45, first_seen: { target_version: '1.0' }, last_seen: { target_version: '1.44' }, failing: false },
    ]);
  },
);

t.test('a removed instance takes its failures along', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await completeRun(control, { result: 'failed' });
  await control.instances.remove('app');
  await control.instances.create({ instance_id: 'app' }, ana);
  t.same((await control.failures.list({ instance: 'app' }, { limit: 9 })).items, []);
});
