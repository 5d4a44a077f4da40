import t, { type Test } from 'tap';
import type { OpenControl } from '../../src/control/open.ts';
import { openControl } from '../../src/control/open.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { type FakeClock, fakeClock } from '../environment/fake-clock.ts';
import { aReport, aScenario } from './a-report.ts';

const dayMs = 86_400_000;

async function openWith(t: Test, settings: { storedMaxBytes?: number }) {
  const clock = fakeClock();
  const onFault = (fault: unknown): void => {
    t.fail('background work failed', { fault });
  };
  const control = await openControl({ folder: t.testdir(), clock, random: systemRandom, pid: 1, settings, onFault });
  t.teardown(() => control.close());
  await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await control.catalogue.write('app', 'RT-GET-document', { text: aScenario() }, { name: 'owner' });
  return { control, clock };
}

async function finishedRuns(
  control: OpenControl,
  clock: FakeClock,
  count: number,
  bodyText: string,
): Promise<string[]> {
  const port = control.executorOf('app');
  const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    clock.advance(10);
    await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
    const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
    if (!lease) throw new Error('no lease');
    const report = aReport(lease, 'app');
    if (report.exchange.response) report.exchange.response.body.text = bodyText;
    await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
    ids.push(lease.run_id);
  }
  return ids;
}

const bodyOf = async (control: OpenControl, runId: string) =>
  (await control.runs.get(runId)).report?.exchange.response?.body.text;

t.test('bodies expire before reports, reports before runs', async (t) => {
  const { control, clock } = await openWith(t, {});
  const [runId = ''] = await finishedRuns(control, clock, 1, '{"data":[]}');
  clock.jump(13 * dayMs);
  await control.retain();
  t.equal(await bodyOf(control, runId), '{"data":[]}');
  clock.jump(2 * dayMs);
  await control.retain();
  t.equal(await bodyOf(control, runId), null);
  t.match(await control.runs.get(runId), { report: { result: 'passed' }, report_expired: false });
  clock.jump(80 * dayMs);
  await control.retain();
  t.match(await control.runs.get(runId), { state: 'passed', report: null, report_expired: true, duration_ms: 3 });
  await t.rejects(control.runs.report(runId), { code: 'REPORT_ABSENT', message: /expired/ });
});

t.test('over the size, the oldest bodies go first, then the oldest reports', async (t) => {
  const { control, clock } = await openWith(t, { storedMaxBytes: 30_000 });
  const ids = await finishedRuns(control, clock, 100, 'x'.repeat(100));
  clock.advance(1000);
  await control.retain();
  const kept = await Promise.all(ids.map(async (runId) => (await control.runs.get(runId)).report !== null));
  t.equal(kept.indexOf(true), kept.filter((has) => !has).length, 'the oldest went');
  const keptBytes =
    kept.filter((has) => has).length * JSON.stringify((await control.runs.get(ids.at(-1) ?? '')).report).length;
  t.ok(keptBytes < 30_000 && keptBytes > 10_000, `about as much as fits is kept: ${keptBytes} bytes`);
  t.equal(await bodyOf(control, ids.at(-1) ?? ''), null, 'all bodies went first');
});

t.test('a repeated report of a run whose report expired is not taken again', async (t) => {
  const { control, clock } = await openWith(t, {});
  const [runId = ''] = await finishedRuns(control, clock, 1, 'x');
  const { correlation_id } = await control.runs.get(runId);
  clock.jump(100 * dayMs);
  await control.retain();
  const port = control.executorOf('app');
  const hello = {
    protocol: 1,
    executor_version: '0',
    store_id: 'store-one',
    started: [],
    finished: [runId],
    target: '',
  };
  const { epoch } = await port.hello(hello);
  const report = aReport({ run_id: runId, correlation_id, scenario_id: 'RT-GET-document' }, 'app');
  await port.complete({ epoch, run_id: runId, fence: 1, more: false, report });
  t.match(await control.runs.get(runId), { report: null, late_report: null, report_expired: true });
});

t.test('reports that came too late expire with the others', async (t) => {
  const { control, clock } = await openWith(t, {});
  const port = control.executorOf('app');
  const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  if (!lease) return t.fail('no lease');
  clock.advance(30_001);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const report = aReport(lease, 'app');
  await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
  t.match(await control.runs.get(lease.run_id), { late_report: { result: 'passed' } });
  clock.jump(91 * dayMs);
  await control.retain();
  t.match(await control.runs.get(lease.run_id), { late_report: null, report: null });
});

t.test(
  'texts that were run without being in the catalogue expire with the reports, and come back when run again',
  async (t) => {
    const { control, clock } = await openWith(t, {});
    const port = control.executorOf('app');
    const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
    const { epoch } = await port.hello(hello);
    const text = aScenario().replace('GET document', 'GET changed-document');
    const ask = async () =>
      (await control.runs.request('app', { scenarios: [{ text }] }, { name: 'ana' }))[0]?.run_id ?? '';
    const finish = async () => {
      const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
      if (!lease) return t.fail('no lease');
      t.equal(lease.scenario_text, text);
      const report = aReport(lease, 'app');
      await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
    };
    const textOf = async (id: string) => (await control.runs.get(id)).scenario_text;
    const first = await ask();
    await finish();
    clock.jump(89 * dayMs);
    await control.retain();
    t.equal(await textOf(first), text);
    const second = await ask();
    clock.jump(89 * dayMs);
    await control.retain();
    t.equal(await textOf(first), text, 'it was asked for since');
    clock.jump(2 * dayMs);
    await control.retain();
    t.equal(await textOf(second), text, 'a run that is still to come keeps its text');
    await finish();
    await control.retain();
    t.equal(await textOf(first), null);
    t.match(await control.runs.get(first), { state: 'passed', title: /changed/ });
    const third = await ask();
    t.equal(await textOf(third), text);
    await finish();
  },
);
