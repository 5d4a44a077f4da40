import t, { type Test } from 'tap';
import { openTestControl } from '../control-fixture.ts';
import { createScenarioText, createTestReport } from '../report-fixture.ts';
import { failingCheck } from '../runs/run-history.ts';

const ana = { name: 'ana' };
const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
const dayMs = 86_400_000;

async function open(t: Test) {
  const { control, clock } = await openTestControl(t);
  await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  for (const id of ['A', 'B', 'C']) {
    const text = createScenarioText(id).replace('GET document', `GET ${id.toLowerCase()}`);
    await control.catalogue.write('app', id, { text }, ana);
  }
  const request = async (name: string, ids: readonly string[]): Promise<string> => {
    clock.advance(60_000);
    const runs = await control.runs.request(
      'app',
      { scenarios: ids.map((id) => ({ id })), suite: { name, source: { branch: name } } },
      ana,
    );
    return runs[0]?.suite ?? '';
  };
  /** Completes what is queued, in order. */
  const complete = async (failing: readonly string[] = [], count = 10): Promise<void> => {
    const port = control.executorPort('app');
    const { epoch } = await port.hello(hello);
    for (let index = 0; index < count; index += 1) {
      const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
      if (!lease) return;
      const isFailing = failing.includes(lease.scenario_id);
      const report = createTestReport(lease, 'app', isFailing ? 'failed' : 'passed');
      if (isFailing) report.checks.push({ ...failingCheck });
      report.started_at = new Date(clock.nowMs()).toISOString();
      report.finished_at = report.started_at;
      await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
    }
  };
  const until = new Date(clock.nowMs() + 30 * dayMs).toISOString();
  const create = (input: object) => control.statusPages.create('app', { title: 'Main', until, ...input }, ana);
  const pages = [await create({ suite: 'main' }), await create({ branch: 'main' })] as const;
  const look = async () => {
    clock.advance(6_000);
    const [named, ofBranch] = await Promise.all(pages.map(({ secret }) => control.statusPages.findPublic(secret)));
    t.same(named, ofBranch);
    return named;
  };
  return { control, clock, request, complete, look };
}

t.test('only runs of suites with the name count', async (t) => {
  const { request, complete, look } = await open(t);
  t.match(await look(), { state: 'no_runs', scenarios: [] });
  await request('main', ['A', 'B']);
  await complete();
  await request('branch', ['A', 'B', 'C']);
  await complete(['A', 'C']);
  t.match(await look(), { state: 'passing', message: '2 passing', failures: [] });
});

t.test('a rerun of what failed does not make the rest disappear', async (t) => {
  const { control, request, complete, look } = await open(t);
  const suite = await request('main', ['A', 'B']);
  await complete(['B']);
  t.match(await look(), { state: 'failing', message: '1 of 2 failing' });
  await control.suites.rerun('app', suite, {}, ana);
  await complete();
  t.match(await look(), {
    state: 'passing',
    message: '2 passing',
    scenarios: [{ passed: 1 }, { passed: 1, failed: 1 }],
  });
});

t.test('a suite in progress hides nothing of what it has not come to', async (t) => {
  const { request, complete, look } = await open(t);
  await request('main', ['A', 'B', 'C']);
  await complete(['C']);
  await request('main', ['A', 'B', 'C']);
  await complete([], 1);
  t.match(await look(), { state: 'failing', message: '1 of 3 failing' });
  await complete();
  t.match(await look(), { state: 'passing' });
  await request('main', ['A', 'B']);
  await complete();
  t.match(await look(), { message: '2 passing' }, 'what the newest suite no longer has is not selected');
});
