/** A run that is requested while its executor waits is leased by the transaction that queues it. */
import t, { type Test } from 'tap';
import { openTestControlWithApp } from '../control-fixture.ts';
import { greet, journalOf, requestTestRun } from './lease-fixture.ts';

const longPoll = { in_hand: null, wait_ms: 60_000, announces_send: true } as const;

async function startExecutor(t: Test) {
  const testControl = await openTestControlWithApp(t);
  const { control } = testControl;
  const { welcome } = await greet(control, 'start-one');
  const port = control.executorPort('app');
  const caller = { epoch: welcome.epoch, journal: journalOf(welcome) };
  let calls = 0;
  /** Resolves when the poll waits. */
  const startPoll = async (signal?: AbortSignal) => {
    calls += 1;
    const answer = port.poll({ ...caller, ...longPoll, call: calls }, signal);
    answer.catch(() => {});
    // Its look at the queue comes first, and these looks come after it.
    for (let look = 0; look < 20; look += 1) await control.instances.get('app');
    return { answer };
  };
  return { ...testControl, port, caller, startPoll };
}

t.test('the request itself leases the run; its response says that it is queued', async (t) => {
  const { control, startPoll } = await startExecutor(t);
  const { answer } = await startPoll();
  const [run] = await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  t.match(run, { state: 'queued' });
  t.match(await control.runs.get(run?.run_id ?? ''), { state: 'in_progress' }, 'in the same commit');
  t.match((await answer).lease, { run_id: run?.run_id, fence: 1 });
});

t.test('two requests at once lease one run to one poll', async (t) => {
  const { control, port, caller, startPoll } = await startExecutor(t);
  const { answer } = await startPoll();
  const [first, second] = await Promise.all([requestTestRun(control), requestTestRun(control)]);
  const { lease } = await answer;
  t.equal(lease?.run_id, first);
  t.match(await control.runs.get(second), { state: 'queued' });
  t.match(await port.heartbeat({ ...caller, run_id: first, fence: 1, before_send: true }), { lease_ms: 30_000 });
});

t.test('a request that is refused leaves the poll waiting for the next one', async (t) => {
  const { control, startPoll } = await startExecutor(t);
  const { answer } = await startPoll();
  const unknown = control.runs.request('app', { scenarios: [{ id: 'RT-GET-absent' }] }, { name: 'ana' });
  await t.rejects(unknown, { code: 'SCENARIO_UNKNOWN' });
  const runId = await requestTestRun(control);
  t.match(await control.runs.get(runId), { state: 'in_progress' });
  t.match((await answer).lease, { run_id: runId });
});

t.test('the poll of a start that was superseded takes nothing', async (t) => {
  const { control, startPoll } = await startExecutor(t);
  const { answer } = await startPoll();
  const next = await greet(control, 'start-two');
  await t.rejects(answer, { code: 'EXECUTOR_SUPERSEDED' });
  const runId = await requestTestRun(control);
  t.match(await control.runs.get(runId), { state: 'queued' });
  const port = control.executorPort('app');
  t.match((await port.poll({ ...longPoll, epoch: next.welcome.epoch })).lease, { run_id: runId });
});

t.test(
  'the connection of the poll breaks while its run is committed: the run returns to the queue at once',
  async (t) => {
    const { control, port, caller, startPoll } = await startExecutor(t);
    const connection = new AbortController();
    const { answer } = await startPoll(connection.signal);
    const requested = requestTestRun(control);
    connection.abort();
    t.same((await answer).lease, null);
    const runId = await requested;
    t.match(await control.runs.get(runId), { state: 'queued' });
    t.match(await port.poll({ ...caller, ...longPoll, call: 2 }), { lease: { run_id: runId } });
  },
);

t.test('a newer poll takes the lease that an earlier one was meant to get', async (t) => {
  const { control, startPoll } = await startExecutor(t);
  const { answer: earlier } = await startPoll();
  const requested = requestTestRun(control);
  const { answer: newer } = await startPoll();
  const runId = await requested;
  const leases = [(await earlier).lease, (await newer).lease];
  t.same(
    leases.flatMap((lease) => lease?.run_id ?? []),
    [runId],
  );
});
