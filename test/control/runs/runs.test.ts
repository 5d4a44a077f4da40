import t from 'tap';
import { getEndedRunDocument } from '../../../src/control/runs/run-document.ts';
import { openTestControl, openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText, createTestReport } from '../report-fixture.ts';

const ana = { name: 'ana' };
const runRequest = { scenarios: [{ id: 'RT-GET-document' }] };

t.test('run ids are the time of the request, unique and increasing', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const first = await control.runs.request(
    'app',
    { scenarios: [...runRequest.scenarios, ...runRequest.scenarios] },
    ana,
  );
  clock.jump(-3_600_000);
  const second = await control.runs.request('app', runRequest, ana);
  t.same(
    [...first, ...second].map((run) => run.run_id),
    ['20261120T143012345', '20261120T143012346', '20261120T143012347'],
  );
  for (const run of first) t.ok(run.correlation_id.startsWith(`tr-${run.run_id}-`));
});

t.test('the document of a run is the same with its end as later, and a run that goes on has one too', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const [run, second] = await control.runs.request(
    'app',
    { scenarios: [...runRequest.scenarios, ...runRequest.scenarios] },
    ana,
  );
  const read = (runId = '') => control.database.read((sql) => getEndedRunDocument(sql, runId));
  t.match(await read(second?.run_id), { state: 'queued', queue_position: 1, report: null });
  await control.runs.cancel(run?.run_id ?? '');
  for (const id of [run?.run_id, second?.run_id]) t.same(await read(id), await control.runs.get(id ?? ''));
  t.match(await read(run?.run_id), { state: 'cancelled' });
  await t.rejects(read('20261120T143012999'), { code: 'RUN_UNKNOWN' });
});

t.test('a request returns the queue position', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const runs = await control.runs.request(
    'app',
    { scenarios: [...runRequest.scenarios, ...runRequest.scenarios] },
    ana,
  );
  t.same(
    runs.map((run) => [run.state, run.queue_position]),
    [
      ['queued', 0],
      ['queued', 1],
    ],
  );
});

t.test('an idempotency key returns the runs of the first request, and is refused for another request', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const [first] = await control.runs.request('app', runRequest, ana, 'k1');
  const [reopened] = await control.runs.request('app', runRequest, ana, 'k1');
  t.equal(reopened?.run_id, first?.run_id);
  await t.rejects(control.runs.request('app', { scenarios: [{ text: createScenarioText() }] }, ana, 'k1'), {
    code: 'REQUEST_KEY_REUSED',
  });
});

t.test('all runs of a request are queued, or none', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const scenarios = [{ id: 'RT-GET-document' }, { id: 'RT-GET-documents' }];
  await t.rejects(control.runs.request('app', { scenarios }, ana), {
    code: 'SCENARIO_UNKNOWN',
    message: /did you mean RT-GET-document\?/,
  });
  t.same((await control.runs.list({}, { limit: 10 })).items, []);
});

t.test('a text that is not in the catalogue runs without entering it', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const text = createScenarioText('RT-GET-other');
  const [run] = await control.runs.request('app', { scenarios: [{ text }] }, ana);
  t.match(run, { scenario_id: 'RT-GET-other', revision: null });
  t.equal((await control.runs.get(run?.run_id ?? '')).scenario_text, text);
  await t.rejects(control.catalogue.get('app', 'rt-get-document'), { message: /did you mean RT-GET-document\?/ });
  await t.rejects(control.catalogue.get('app', 'RT-GET-other'), { code: 'SCENARIO_UNKNOWN' });
});

t.test('a text with errors is refused with every diagnostic', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const text = createScenarioText().replace('status=200', 'status=2000').replace('body has data', 'body hsa data');
  const refused = control.runs.request('app', { scenarios: [{ text }] }, ana);
  const error = await refused.then(
    () => undefined,
    (thrown: { code: string; diagnostics: unknown[] }) => thrown,
  );
  t.equal(error?.code, 'SCENARIO_REFUSED');
  t.equal(error?.diagnostics.length, 2);
});

t.test('a queued run is cancelled at once', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const [run] = await control.runs.request('app', runRequest, ana);
  t.match(await control.runs.cancel(run?.run_id ?? ''), { state: 'cancelled', result: null });
  await t.rejects(control.runs.cancel(run?.run_id ?? ''), { code: 'RUN_FINAL' });
  await t.rejects(control.runs.cancel('20200101T000000000'), { code: 'RUN_UNKNOWN' });
  await t.rejects(control.runs.cancel('rubbish'), { code: 'RUN_UNKNOWN' });
});

t.test('waiting ends when the run ends, after the time, or when the caller aborts', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const [run] = await control.runs.request('app', runRequest, ana);
  const runId = run?.run_id ?? '';
  const timedOut = control.runs.wait(runId, 5_000);
  const abort = new AbortController();
  const aborted = control.runs.wait(runId, 60_000, abort.signal);
  const waitingForEnd = control.runs.wait(runId, 60_000);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(5_000);
  t.equal((await timedOut).state, 'queued');
  abort.abort();
  t.equal((await aborted).state, 'queued');
  await control.runs.cancel(runId);
  const document = await waitingForEnd;
  t.equal(document.state, 'cancelled');
  t.same(document, await control.runs.get(runId), 'with what its page shows, read in one transaction');
});

t.test('a wait for a run that was requested just now reads it once, when it has ended', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const [run] = await control.runs.request('app', runRequest, ana);
  const runId = run?.run_id ?? '';
  let reads = 0;
  const { read } = control.database;
  Object.assign(control.database, {
    read: (operation: Parameters<typeof read>[0]) => {
      reads += 1;
      return read(operation);
    },
  });
  const waiting = control.runs.wait(runId, 60_000);
  await control.runs.cancel(runId);
  t.equal((await waiting).state, 'cancelled');
  t.equal(reads, 1);
  t.equal((await control.runs.wait(runId, 60_000)).state, 'cancelled', 'one that has ended is found at once');
});

t.test('a wait that expects a run that has ended long ago looks at it after a moment', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const [run] = await control.runs.request('app', runRequest, ana);
  const runId = run?.run_id ?? '';
  const waiting = control.runs.wait(runId, 60_000);
  // Nobody announces this end.
  await control.database.write((sql) => sql.run("UPDATE runs SET state = 'cancelled', finished_at_ms = 1, seq = 9000"));
  clock.advance(100);
  t.equal((await waiting).state, 'cancelled');
});

t.test('a request of many runs queues each of them, in order', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const scenarios = Array.from({ length: 75 }, () => ({ id: 'RT-GET-document' }));
  const runs = await control.runs.request('app', { scenarios, target_version: '7' }, ana);
  const { items } = await control.runs.list({ instance: 'app' }, { limit: 100 });
  t.same(
    items.map(({ run_id: id }) => id).reverse(),
    runs.map(({ run_id: id }) => id),
  );
  t.equal(new Set(runs.map(({ correlation_id: id }) => id)).size, 75);
  t.ok(items.every(({ state, target_version: version }) => state === 'queued' && version === '7'));
});

t.test('pages are newest first and filtered by state, scenario and time', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    const [run] = await control.runs.request('app', runRequest, ana);
    ids.unshift(run?.run_id ?? '');
    clock.advance(1000);
  }
  await control.runs.cancel(ids[0] ?? '');
  const first = await control.runs.list({ instance: 'app' }, { limit: 3 });
  const rest = await control.runs.list({ instance: 'app' }, { limit: 3, cursor: first.next_cursor ?? '' });
  t.same(
    [...first.items, ...rest.items].map((run) => run.run_id),
    ids,
  );
  t.equal(rest.next_cursor, null);
  const listIds = async (filter: Parameters<typeof control.runs.list>[0]) =>
    (await control.runs.list(filter, { limit: 10 })).items.map((run) => run.run_id);
  t.same(await listIds({ states: ['cancelled'] }), ids.slice(0, 1));
  t.same(await listIds({ instance: 'app', states: ['queued'] }), ids.slice(1));
  t.same(await listIds({ states: ['passed', 'cancelled'] }), ids.slice(0, 1));
  t.same(await listIds({ scenario: 'RT-GET-other' }), []);
  t.equal((await listIds({ sinceMs: clock.nowMs() - 2500 })).length, 2);
  t.equal((await listIds({ untilMs: clock.nowMs() - 2500 })).length, 3);
  await t.rejects(listIds({ instance: 'nobody' }), { code: 'INSTANCE_UNKNOWN', message: /there are: app/ });
  await t.rejects(control.runs.list({}, { limit: 3, cursor: 'x' }), { code: 'CURSOR_INVALID' });
});

t.test('a report is returned as it was sent; without one the error says why', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const [run] = await control.runs.request('app', runRequest, ana);
  const runId = run?.run_id ?? '';
  await t.rejects(control.runs.report(runId), { code: 'REPORT_ABSENT', message: /queued/ });
  const port = control.executorPort('app');
  const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  if (!lease) return t.fail('no lease');
  const report = createTestReport(lease, 'app', 'failed');
  report.checks.push({
    ...{
      text: 'body has count equals 1',
      kind: 'equals',
      line: 19,
      column: 3,
      outcome: 'failed',
      looks_at: 'response',
      counted: true,
    },
    ...{ expected: '1', actual: '10', pointer: '/count' },
  });
  await port.complete({ epoch, run_id: runId, fence: lease.fence, more: false, report });
  t.same(await control.runs.report(runId), report);
  t.match(await control.runs.get(runId), {
    ...{ failure_summary: 'body has count equals 1: got 10', failure_kind: 'body_mismatch', observed_status: 200 },
    ...{ assertions_enforced_count: 1, evidence_assertions_count: 2, duration_ms: 3 },
  });
});

t.test('queued runs are still queued after a restart', async (t) => {
  const { control, clock, folder } = await openTestControlWithApp(t);
  const [run] = await control.runs.request('app', runRequest, ana);
  await control.close();
  const { control: reopened } = await openTestControl(t, { folder, clock });
  t.match(await reopened.runs.get(run?.run_id ?? ''), { state: 'queued', requested_by: 'ana' });
});

t.test('the lease of a run with prove says so, also after the run was returned', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const [run] = await control.runs.request('app', { ...runRequest, prove: true }, ana, 'k1');
  await t.rejects(control.runs.request('app', runRequest, ana, 'k1'), { code: 'REQUEST_KEY_REUSED' });
  const port = control.executorPort('app');
  const greeting = { protocol: 1, executor_version: '0.4.0', store_id: 'store-one', target: 'http://app:3100' };
  const { epoch } = await port.hello({ ...greeting, started: [], finished: [] });
  const poll = { epoch, in_hand: null, wait_ms: 0 };
  const { lease } = await port.poll(poll);
  t.match(lease, { run_id: run?.run_id, prove: true });
  await port.giveBack({ epoch, run_id: lease?.run_id ?? '', fence: lease?.fence ?? 0 });
  t.match((await port.poll(poll)).lease, { run_id: run?.run_id, prove: true });
  await control.runs.request('app', runRequest, ana);
  await control.runs.cancel(run?.run_id ?? '');
  await port.hello({ ...greeting, store_id: 'store-two', started: [], finished: [] });
  const { lease: next } = await port.poll({ ...poll, epoch: epoch + 1 });
  t.match(next, { prove: false });
});
