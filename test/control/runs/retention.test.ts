import { statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import type { OpenControl } from '../../../src/control/open-control.ts';
import { openControl } from '../../../src/control/open-control.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { type FakeClock, fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { openStoresUnderTest, skipOnPostgres } from '../../store/engine-under-test.ts';
import { createScenarioText, createTestReport } from '../report-fixture.ts';

const dayMs = 86_400_000;

async function openControlWith(t: Test, settings: { storedMaxBytes?: number }) {
  const clock = fakeClock();
  const folder = t.testdir();
  const onFault = (fault: unknown): void => {
    t.fail('background work failed', { fault });
  };
  const store = (await openStoresUnderTest(t, folder))?.control;
  const control = await openControl({
    folder,
    store,
    clock,
    random: systemRandom,
    pid: 1,
    settings,
    onError: onFault,
  });
  t.teardown(() => control.close());
  await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
  return { control, clock, folder };
}

async function finishRuns(control: OpenControl, clock: FakeClock, count: number, bodyText: string): Promise<string[]> {
  const port = control.executorPort('app');
  const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    clock.advance(10);
    await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
    const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
    if (!lease) throw new Error('no lease');
    const report = createTestReport(lease, 'app');
    if (report.exchange.response) report.exchange.response.body.text = bodyText;
    await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
    ids.push(lease.run_id);
  }
  return ids;
}

const getBodyText = async (control: OpenControl, runId: string) =>
  (await control.runs.get(runId)).report?.exchange.response?.body.text;

t.test('bodies expire before reports, reports before runs', async (t) => {
  const { control, clock } = await openControlWith(t, {});
  const [runId = ''] = await finishRuns(control, clock, 1, '{"data":[]}');
  clock.advance(13 * dayMs);
  await control.retain();
  t.equal(await getBodyText(control, runId), '{"data":[]}');
  clock.advance(2 * dayMs);
  await control.retain();
  t.equal(await getBodyText(control, runId), null);
  t.match(await control.runs.get(runId), { report: { result: 'passed' }, report_expired: false });
  clock.advance(80 * dayMs);
  await control.retain();
  t.match(await control.runs.get(runId), { state: 'passed', report: null, report_expired: true, duration_ms: 3 });
  await t.rejects(control.runs.report(runId), { code: 'REPORT_ABSENT', message: /expired/ });
});

t.test('beyond the size limit, the oldest bodies are deleted first, then the oldest reports', async (t) => {
  const { control, clock } = await openControlWith(t, { storedMaxBytes: 30_000 });
  const ids = await finishRuns(control, clock, 100, 'x'.repeat(100));
  clock.advance(1000);
  await control.retain();
  const retained = await Promise.all(ids.map(async (runId) => (await control.runs.get(runId)).report !== null));
  t.equal(retained.indexOf(true), retained.filter((has) => !has).length, 'the oldest went');
  const retainedBytes =
    retained.filter((has) => has).length * JSON.stringify((await control.runs.get(ids.at(-1) ?? '')).report).length;
  t.ok(retainedBytes < 30_000 && retainedBytes > 10_000, `about as much as fits is kept: ${retainedBytes} bytes`);
  t.equal(await getBodyText(control, ids.at(-1) ?? ''), null, 'all bodies went first');
});

t.test('the limit of size is applied within seconds, and the file shrinks', { skip: skipOnPostgres }, async (t) => {
  const storedMaxBytes = 2_000_000;
  const { control, clock, folder } = await openControlWith(t, { storedMaxBytes });
  const file = join(folder, 'control.db');
  const body = () => systemRandom.token(75_000);
  for (let index = 0; index < 120; index += 1) await finishRuns(control, clock, 1, body());
  t.ok(getFileBytes(file) > 10_000_000, `${getFileBytes(file)} bytes before`);
  clock.advance(5000);
  const bytes = await eventually(() => getFileBytes(file), { until: (size) => size < storedMaxBytes + 6_000_000 });
  t.comment(`${bytes} bytes in use after 5 s`);
  await eventually(() => countFreeBytes(file), { until: (free) => free <= maxFreeBytes });
  await control.close();
  t.ok(statSync(file).size < storedMaxBytes + 6_000_000, `${statSync(file).size} bytes on the disk`);
  t.ok(countFreeBytes(file) <= maxFreeBytes, `${countFreeBytes(file)} of them free`);
});

/** As docs/explanation/guarantees.md says. */
const maxFreeBytes = 4 * 1_048_576;

function countFreeBytes(file: string): number {
  const sqlite = new Sqlite(file);
  const pages = Number(sqlite.pragma('freelist_count', { simple: true }));
  sqlite.close();
  return pages * 4096;
}

/** Bytes of the pages of the file, without its write-ahead log. */
function getFileBytes(file: string): number {
  const sqlite = new Sqlite(file);
  const pages = Number(sqlite.pragma('page_count', { simple: true }));
  sqlite.close();
  return pages * 4096;
}

t.test('a repeated report of a run whose report has expired is not stored again', async (t) => {
  const { control, clock } = await openControlWith(t, {});
  const [runId = ''] = await finishRuns(control, clock, 1, 'x');
  const { correlation_id } = await control.runs.get(runId);
  clock.advance(100 * dayMs);
  await control.retain();
  const port = control.executorPort('app');
  const hello = {
    protocol: 1,
    executor_version: '0',
    store_id: 'store-one',
    started: [],
    finished: [runId],
    target: '',
  };
  const { epoch } = await port.hello(hello);
  const report = createTestReport({ run_id: runId, correlation_id, scenario_id: 'RT-GET-document' }, 'app');
  await port.complete({ epoch, run_id: runId, fence: 1, more: false, report });
  t.match(await control.runs.get(runId), { report: null, late_report: null, report_expired: true });
});

t.test('late reports expire with the others', async (t) => {
  const { control, clock } = await openControlWith(t, {});
  const port = control.executorPort('app');
  const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  if (!lease) return t.fail('no lease');
  clock.advance(30_001);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const report = createTestReport(lease, 'app');
  await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
  t.match(await control.runs.get(lease.run_id), { late_report: { result: 'passed' } });
  clock.advance(91 * dayMs);
  await control.retain();
  t.match(await control.runs.get(lease.run_id), { late_report: null, report: null });
});

t.test(
  'texts that ran without being in the catalogue expire with the reports, and are stored again when run again',
  async (t) => {
    const { control, clock } = await openControlWith(t, {});
    const port = control.executorPort('app');
    const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
    const { epoch } = await port.hello(hello);
    const text = createScenarioText().replace('GET document', 'GET changed-document');
    const requestText = async () =>
      (await control.runs.request('app', { scenarios: [{ text }] }, { name: 'ana' }))[0]?.run_id ?? '';
    const finish = async () => {
      const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
      if (!lease) return t.fail('no lease');
      t.equal(lease.scenario_text, text);
      const report = createTestReport(lease, 'app');
      await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
    };
    const getScenarioText = async (id: string) => (await control.runs.get(id)).scenario_text;
    const first = await requestText();
    await finish();
    clock.advance(89 * dayMs);
    await control.retain();
    t.equal(await getScenarioText(first), text);
    const second = await requestText();
    clock.advance(89 * dayMs);
    await control.retain();
    t.equal(await getScenarioText(first), text, 'it was asked for since');
    clock.advance(2 * dayMs);
    await control.retain();
    t.equal(await getScenarioText(second), text, 'a run that is still to come keeps its text');
    await finish();
    await control.retain();
    t.equal(await getScenarioText(first), null);
    t.match(await control.runs.get(first), { state: 'passed', title: /changed/ });
    const third = await requestText();
    t.equal(await getScenarioText(third), text);
    await finish();
  },
);
