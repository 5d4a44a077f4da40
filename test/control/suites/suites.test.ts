import t, { type Test } from 'tap';
import type { OpenControl } from '../../../src/control/open-control.ts';
import { renderJunit } from '../../../src/report/junit.ts';
import { openTestControl } from '../control-fixture.ts';
import { createScenarioText, createTestReport } from '../report-fixture.ts';
import { failingCheck } from '../runs/run-history.ts';

const ana = { name: 'ana' };
const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };

async function openWithScenarios(t: Test, names: readonly string[]): Promise<OpenControl> {
  const { control } = await openTestControl(t);
  await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  for (const name of names) {
    const text = createScenarioText().replaceAll('RT-GET-document', name);
    await control.catalogue.write('app', name, { text }, ana);
  }
  return control;
}

/** Completes what is queued, in order; `failing` are the scenarios that fail. */
async function runQueue(control: OpenControl, failing: readonly string[], count = 100): Promise<void> {
  const port = control.executorPort('app');
  const { epoch } = await port.hello(hello);
  for (let index = 0; index < count; index += 1) {
    const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
    if (!lease) return;
    const isFailing = failing.includes(lease.scenario_id);
    const report = createTestReport(lease, 'app', isFailing ? 'failed' : 'passed');
    report.scenario.id = lease.scenario_id;
    if (isFailing) report.checks.push({ ...failingCheck });
    await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
  }
}

const toEntries = (ids: readonly string[]) => ids.map((id) => ({ id }));

t.test('a request for several scenarios is a suite with one verdict', async (t) => {
  const control = await openWithScenarios(t, ['A', 'B', 'C']);
  const source = { branch: 'main', commit: '4f2c9e1', author: 'Ana', job: 'verify', url: 'https://ci.example/1' };
  const input = { scenarios: toEntries(['A', 'B', 'C']), suite: { name: 'smoke', source }, target_version: '2.0' };
  const runs = await control.runs.request('app', input, ana);
  const suiteId = runs[0]?.suite ?? '';
  t.match(suiteId, /^s\d{8}T\d{9}$/);
  t.match(runs, [{ suite: suiteId, source }, { suite: suiteId }, { suite: suiteId }]);
  t.match(await control.suites.get('app', suiteId), {
    ...{ state: 'in_progress', outcome: null, name: 'smoke', source, target_version: '2.0', finished_at: null },
    counts: { queued: 3, passed: 0, not_requested: 0 },
  });
  await runQueue(control, ['B'], 2);
  t.match(await control.suites.get('app', suiteId), { state: 'in_progress', outcome: null, counts: { failed: 1 } });
  await runQueue(control, []);
  const suite = await control.suites.get('app', suiteId);
  t.match(suite, { state: 'ended', outcome: 'failed', counts: { failed: 1, passed: 2 }, flaky: 0, rerun: null });
  t.ok(suite.finished_at);
  const { items } = await control.runs.list({ instance: 'app', suite: suiteId }, { limit: 10 });
  t.same(
    items.map(({ scenario_id }) => scenario_id),
    ['C', 'B', 'A'],
  );
});

t.test('one scenario is no suite, unless it is requested as one, and several need not be one', async (t) => {
  const control = await openWithScenarios(t, ['A', 'B']);
  const [single] = await control.runs.request('app', { scenarios: toEntries(['A']) }, ana);
  const [repeated] = await control.runs.request('app', { scenarios: toEntries(['A', 'A']) }, ana);
  const [none] = await control.runs.request('app', { scenarios: toEntries(['A', 'B']), suite: false }, ana);
  const [named] = await control.runs.request('app', { scenarios: toEntries(['A']), suite: { name: 'one' } }, ana);
  t.same([single?.suite, repeated?.suite, none?.suite], [undefined, undefined, undefined]);
  t.match(await control.suites.get('app', named?.suite ?? ''), { name: 'one', expected_runs: 1 });
});

t.test('a suite that expects more runs has no verdict before they were requested', async (t) => {
  const control = await openWithScenarios(t, ['A', 'B']);
  const first = { scenarios: toEntries(['A']), suite: { expected_runs: 2 } };
  const [run] = await control.runs.request('app', first, ana);
  const suite_id = run?.suite ?? '';
  await runQueue(control, []);
  const incomplete = { state: 'incomplete', outcome: null, finished_at: null, counts: { passed: 1, not_requested: 1 } };
  t.match(await control.suites.get('app', suite_id), incomplete);
  await control.runs.request('app', { scenarios: toEntries(['B']), suite_id }, ana);
  await runQueue(control, []);
  t.match(await control.suites.get('app', suite_id), { state: 'ended', outcome: 'passed', counts: { passed: 2 } });
});

t.test('a retry counts instead of the run that it replaces, and what then passes is flaky', async (t) => {
  const control = await openWithScenarios(t, ['A', 'B']);
  const [run] = await control.runs.request('app', { scenarios: toEntries(['A', 'B']) }, ana);
  const suite_id = run?.suite ?? '';
  await runQueue(control, ['A']);
  const retry = { scenarios: toEntries(['A']), suite_id, retry: true };
  const [second] = await control.runs.request('app', retry, ana);
  t.equal(second?.retry_of, run?.run_id);
  t.match(await control.suites.get('app', suite_id), { state: 'in_progress', outcome: null });
  await runQueue(control, ['A']);
  t.match(await control.suites.get('app', suite_id), { outcome: 'failed', flaky: 0, counts: { failed: 1, passed: 1 } });
  await control.runs.request('app', retry, ana);
  await runQueue(control, []);
  t.match(await control.suites.get('app', suite_id), { outcome: 'passed', flaky: 1, counts: { failed: 0, passed: 2 } });
});

t.test('what did not pass runs again as a suite of its own', async (t) => {
  const control = await openWithScenarios(t, ['A', 'B', 'C']);
  const source = { branch: 'main' };
  const [run] = await control.runs.request(
    'app',
    { scenarios: toEntries(['A', 'B', 'C']), suite: { name: 'smoke', source } },
    ana,
  );
  const suiteId = run?.suite ?? '';
  await t.rejects(control.suites.rerun('app', suiteId, {}, ana), { code: 'SUITE_NOTHING_TO_RERUN' });
  await runQueue(control, ['A', 'C']);
  const again = await control.suites.rerun('app', suiteId, {}, { name: 'ben' });
  t.same(
    again.runs.map(({ scenario_id }) => scenario_id),
    ['A', 'C'],
  );
  t.match(again.suite, { rerun_of: suiteId, expected_runs: 2, name: 'smoke', source, requested_by: 'ben' });
  t.match(await control.suites.get('app', suiteId), { outcome: 'failed', rerun: again.suite.suite_id });
  await runQueue(control, []);
  t.match(await control.suites.get('app', again.suite.suite_id), { outcome: 'passed' });
  await t.rejects(control.suites.rerun('app', again.suite.suite_id, {}, ana), { code: 'SUITE_NOTHING_TO_RERUN' });
  t.equal((await control.suites.rerun('app', suiteId, { only: 'all' }, ana)).runs.length, 3);
});

t.test('shards are divided once for each key, and a shard that is repeated replaces its runs', async (t) => {
  const control = await openWithScenarios(t, ['A', 'B', 'C']);
  const input = { key: 'pipeline 7', shards: 2, scenarios: ['A', 'B', 'C'] };
  const suite = await control.suites.create('app', input, ana);
  t.same(suite.shards?.flat().sort(), ['A', 'B', 'C']);
  const [first = [], second = []] = suite.shards ?? [];
  const { suite_id } = suite;
  await control.runs.request('app', { scenarios: toEntries(first), suite_id }, ana);
  await runQueue(control, ['A']);
  // The runs of the first job must not change what the second one gets.
  t.same((await control.suites.create('app', input, ana)).shards, suite.shards);
  t.match(await control.suites.get('app', suite_id), { state: 'incomplete', outcome: null });
  await control.runs.request('app', { scenarios: toEntries(second), suite_id }, ana);
  await runQueue(control, []);
  t.match(await control.suites.get('app', suite_id), { state: 'ended', outcome: 'failed', counts: { failed: 1 } });
  const shardOfA = first.includes('A') ? first : second;
  await control.runs.request('app', { scenarios: toEntries(shardOfA), suite_id }, ana);
  await runQueue(control, []);
  t.match(await control.suites.get('app', suite_id), { outcome: 'passed', counts: { passed: 3 }, flaky: 1 });
  await t.rejects(control.suites.create('app', { ...input, shards: 3 }, ana), { code: 'SUITE_KEY_DIFFERS' });
});

t.test('suites of an instance are listed by branch, commit and schedule, the newest first', async (t) => {
  const control = await openWithScenarios(t, ['A', 'B']);
  const request = async (branch: string, commit: string): Promise<string> => {
    const suite = { source: { branch, commit } };
    const [run] = await control.runs.request('app', { scenarios: toEntries(['A', 'B']), suite }, ana);
    return run?.suite ?? '';
  };
  const ids = [await request('main', 'c1'), await request('topic', 'c2'), await request('main', 'c3')];
  const list = async (filter: object, limit = 10) => control.suites.list({ instance: 'app', ...filter }, { limit });
  const toIds = ({ items }: Awaited<ReturnType<typeof list>>) => items.map(({ suite_id }) => suite_id);
  t.same(toIds(await list({})), ids.toReversed());
  t.same(toIds(await list({ branch: 'main' })), [ids[2], ids[0]]);
  t.same(toIds(await list({ commit: 'c2' })), [ids[1]]);
  t.same(toIds(await list({ schedule: 'nightly' })), []);
  const page = await list({}, 2);
  const rest = await control.suites.list({ instance: 'app' }, { limit: 2, cursor: page.next_cursor ?? '' });
  t.same(toIds(rest), [ids[0]]);
  await t.rejects(control.suites.list({ instance: 'app' }, { limit: 2, cursor: 'x' }), { code: 'CURSOR_INVALID' });
});

t.test('one JUnit file has every run of a suite, and what has not ended is an error in it', async (t) => {
  const control = await openWithScenarios(t, ['A', 'B']);
  const input = { scenarios: toEntries(['A', 'B']), suite: { expected_runs: 3 } };
  const [run] = await control.runs.request('app', input, ana);
  const suiteId = run?.suite ?? '';
  await runQueue(control, [], 1);
  const xml = renderJunit(await control.suites.readResults('app', suiteId));
  t.match(xml, /<testsuites name="vp" tests="3" failures="0" errors="2"/);
  await runQueue(control, []);
  await control.database.write((sql) => sql.execute('DELETE FROM reports'));
  await t.rejects(control.suites.readResults('app', suiteId), { code: 'SUITE_REPORTS_ABSENT' });
});

t.test('a suite has a limit, belongs to its instance and goes with it', async (t) => {
  const control = await openWithScenarios(t, ['A', 'B']);
  const [run] = await control.runs.request('app', { scenarios: toEntries(['A', 'B']) }, ana);
  const suite_id = run?.suite ?? '';
  const many = { scenarios: Array.from({ length: 1000 }, () => ({ id: 'A' })), suite_id };
  await control.runs.request('app', many, ana);
  await t.rejects(control.runs.request('app', many, ana), { code: 'SUITE_TOO_LARGE' });
  await control.instances.create({ instance_id: 'other' }, ana);
  await t.rejects(control.suites.get('other', suite_id), { code: 'SUITE_UNKNOWN' });
  await t.rejects(control.suites.get('app', 'nonsense'), { code: 'SUITE_UNKNOWN' });
  await t.rejects(control.suites.get('absent', suite_id), { code: 'INSTANCE_UNKNOWN' });
  await control.instances.remove('app');
  t.same(await control.database.read((sql) => sql.all('SELECT id FROM suites')), []);
});

t.test('a run has the owner that its text named, also when the catalogue names another one now', async (t) => {
  const control = await openWithScenarios(t, ['A']);
  const text = (owner: string): string =>
    createScenarioText()
      .replaceAll('RT-GET-document', 'A')
      .replace(/(- Layer: .*\n)/, `$1- Owner: ${owner}\n- Links: https://wiki.example/a\n`);
  await control.catalogue.write('app', 'A', { text: text('checkout team') }, ana);
  t.match(await control.catalogue.get('app', 'A'), { owner: 'checkout team', links: ['https://wiki.example/a'] });
  const [run] = await control.runs.request('app', { scenarios: toEntries(['A']) }, ana);
  await control.catalogue.write('app', 'A', { text: text('search team') }, ana);
  t.match((await control.runs.list({ instance: 'app' }, { limit: 5 })).items, [{ owner: 'checkout team' }]);
  const port = control.executorPort('app');
  const { epoch } = await port.hello(hello);
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0, features: ['steps'] });
  t.equal(lease?.run_id, run?.run_id);
  t.notMatch(lease?.scenario_text, 'Owner', 'an executor of the version before could not read it');
});
