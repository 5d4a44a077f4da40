/** A run that is requested while its executor waits is leased by the transaction that queues it. */
import { createHmac } from 'node:crypto';
import t, { type Test } from 'tap';
import { executorFeatures, type PollRequest } from '../../../src/contract/executor-api.ts';
import { eventually } from '../../eventually.ts';
import { skipOnPostgres } from '../../store/engine-under-test.ts';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText } from '../report-fixture.ts';
import { greet, journalOf, newJournal, requestTestRun } from './lease-fixture.ts';

const longPoll = { in_hand: null, wait_ms: 60_000, announces_send: true, features: executorFeatures };

/** On SQLite a test decides what comes before a transaction. */
const skipped = { skip: skipOnPostgres };

async function startExecutor(t: Test) {
  const testControl = await openTestControlWithApp(t);
  const { control } = testControl;
  const { welcome } = await greet(control, 'start-one');
  const port = control.executorPort('app');
  const caller = { epoch: welcome.epoch, journal: journalOf(welcome) };
  let calls = 0;
  const poll = (signal?: AbortSignal, more: Partial<PollRequest> = {}) => {
    calls += 1;
    const answer = port.poll({ ...caller, ...longPoll, call: calls, ...more }, signal);
    answer.catch(() => {});
    return answer;
  };
  /** Resolves when the poll waits. */
  const startPoll = async (signal?: AbortSignal, more: Partial<PollRequest> = {}) => {
    const answer = poll(signal, more);
    await control.database.write(() => undefined);
    // Its look at the queue comes first, and these looks come after it.
    for (let look = 0; look < 20; look += 1) await control.instances.get('app');
    return { answer };
  };
  return { ...testControl, port, caller, poll, startPoll };
}

/** On SQLite, a transaction begins after these. */
async function passMicrotasks(): Promise<void> {
  for (let count = 0; count < 50; count += 1) await Promise.resolve();
}

async function passTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

t.test('the request itself leases the run; its response says that it is queued', async (t) => {
  const { control, startPoll } = await startExecutor(t);
  const { answer } = await startPoll();
  const [run] = await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  t.match(run, { state: 'queued' });
  t.match(await control.runs.get(run?.run_id ?? ''), { state: 'in_progress' }, 'in the same commit');
  t.match((await answer).lease, { run_id: run?.run_id, fence: 1 });
});

t.test('what a request answers and leases without reading it again is what is stored', async (t) => {
  const { control, poll, startPoll } = await startExecutor(t);
  const text = createScenarioText().replace('- Tags', '- Owner: payments\n- Links: https://wiki/document\n- Tags');
  await control.catalogue.write('app', 'RT-GET-document', { text }, { name: 'owner' });
  const { answer } = await startPoll();
  const scenarios = [{ id: 'RT-GET-document' }, { text }, { id: 'RT-GET-document' }];
  const runs = await control.runs.request('app', { scenarios, prove: true, target_version: '1.2' }, { name: 'ana' });
  t.same(
    runs.map(({ owner, queue_position: position }) => [owner, position]),
    [0, 1, 2].map((position) => ['payments', position]),
  );
  for (const run of runs.slice(1)) {
    const stored = await control.runs.get(run.run_id);
    t.match(stored, run, 'with a run in progress in place of one before it');
    t.same(Object.keys(run), Object.keys(stored).slice(0, Object.keys(run).length), 'with the same members');
  }
  const { lease } = await answer;
  const again = (await poll()).lease;
  t.same(lease, { ...again, queued_ms: lease?.queued_ms, lease_ms: lease?.lease_ms });
  t.match(lease, { run_id: runs[0]?.run_id, scenario_text: text, revision: 2, prove: true, fence: 1 });
});

t.test('the tick of a schedule leases its run in its own commit', skipped, async (t) => {
  const { control, clock, startPoll } = await startExecutor(t);
  await control.schedules.create('app', { schedule_id: 'often', every: '1m' }, { name: 'ana' });
  const { answer } = await startPoll(undefined, { wait_ms: 600_000 });
  const states: Promise<(string | undefined)[]>[] = [];
  control.database.onCommit(() => {
    const runs = control.runs.list({ instance: 'app' }, { limit: 5 });
    states.push(runs.then(({ items }) => items.map(({ state }) => state)));
  });
  clock.advance(60_000);
  const { lease } = await answer;
  t.ok(lease);
  t.same([...new Set((await Promise.all(states)).flat())], ['in_progress'], 'at no commit it is queued');
});

t.test('the webhook of a schedule leases its run in its own commit', async (t) => {
  const { control, clock, startPoll } = await startExecutor(t);
  const schedule = { schedule_id: 'deployed', on: 'webhook' } as const;
  const { webhook_secret: secret = '' } = await control.schedules.create('app', schedule, { name: 'ana' });
  const { answer } = await startPoll();
  const timestamp = String(Math.floor(clock.nowMs() / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`one.${timestamp}.`).digest('base64');
  const message = { id: 'one', timestamp, signature: `v1,${signature}`, body: '' };
  const { run_ids: runIds } = await control.schedules.receiveWebhook('app', 'deployed', message);
  t.match(await control.runs.get(runIds[0] ?? ''), { state: 'in_progress' });
  t.match((await answer).lease, { run_id: runIds[0] });
});

t.test('a tick that requests nothing leaves the poll waiting for the next request', async (t) => {
  const { control, clock, startPoll } = await startExecutor(t);
  const nothing = { schedule_id: 'nothing', every: '1m', scenarios: ['RT-NONE-*'] };
  await control.schedules.create('app', nothing, { name: 'ana' });
  const { answer } = await startPoll(undefined, { wait_ms: 600_000 });
  clock.advance(60_000);
  await eventually(async () => (await control.schedules.get('app', 'nothing')).ticks.length === 1);
  const runId = await requestTestRun(control);
  t.match(await control.runs.get(runId), { state: 'in_progress' }, 'leased by the request itself');
  t.match((await answer).lease, { run_id: runId });
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

t.test('an executor greets in the transaction before: the poll of the start before it takes nothing', async (t) => {
  const { control, port, startPoll } = await startExecutor(t);
  const { answer } = await startPoll();
  const { challenge } = await port.challenge({ start_id: 'start-two' });
  const start = { id: 'start-two', challenge };
  const executor = { protocol: 1, executor_version: '0.5.0', store_id: 'store-one', target: 'http://app:3100' };
  const greeted = port.hello({ ...executor, started: [], finished: [], start, journal: newJournal });
  const runId = await requestTestRun(control);
  await t.rejects(answer, { code: 'EXECUTOR_SUPERSEDED' });
  const { epoch } = await greeted;
  t.match((await port.poll({ ...longPoll, epoch })).lease, { run_id: runId, fence: 1 });
});

t.test('a newer poll waits before the run of an earlier one is committed: it gets it, and no second one', async (t) => {
  const { control, poll, startPoll } = await startExecutor(t);
  const { answer: earlier } = await startPoll();
  const requested = requestTestRun(control);
  await passMicrotasks();
  const newer = poll();
  await passMicrotasks();
  const second = requestTestRun(control);
  const runId = await requested;
  t.match((await newer).lease, { run_id: runId, fence: 1 });
  t.match(await earlier, { lease: null });
  t.match(await control.runs.get(await second), { state: 'queued' });
});

t.test('a poll ends by time before its run is committed: the lease ends without another', skipped, async (t) => {
  const { control, clock, startPoll } = await startExecutor(t);
  const { answer } = await startPoll(undefined, { wait_ms: 1_000 });
  const requested = requestTestRun(control);
  await passMicrotasks();
  clock.advance(1_001);
  t.match(await answer, { lease: null });
  const runId = await requested;
  t.match(await control.runs.get(runId), { state: 'in_progress' });
  clock.advance(30_001);
  await eventually(async () => (await control.runs.get(runId)).state === 'queued', {
    until: (isQueued) => isQueued,
    description: 'the lease ends',
  });
});

t.test('a newer poll may come at any moment of the transaction', async (t) => {
  const { control, port, caller, poll, startPoll } = await startExecutor(t);
  for (let turns = 0; turns < 24; turns += 1) {
    const { answer: earlier } = await startPoll();
    const requested = requestTestRun(control);
    await passTurns(turns);
    const newer = poll();
    const runId = await requested;
    const leases = [(await earlier).lease, (await newer.catch(() => undefined))?.lease];
    const [lease] = leases.flatMap((lease) => lease ?? []);
    t.equal(lease?.run_id, runId, `after ${turns} turns`);
    await port.giveBack({ epoch: caller.epoch, run_id: runId, fence: lease?.fence ?? 0 });
    await control.runs.cancelQueued('app');
  }
});

for (const turns of [0, 1, 4, 8, 12])
  t.test(`a control plane that closes ${turns} turns after a request answers it`, async (t) => {
    const { control, startPoll } = await startExecutor(t);
    const { answer } = await startPoll();
    const requested = requestTestRun(control).catch(({ code }) => code);
    await passTurns(turns);
    await control.close();
    t.match(await requested, /^(2\d+T\d+|STORE_CLOSED)$/);
    const offer = await answer.catch(() => undefined);
    if (offer?.lease) t.equal(offer.lease.run_id, await requested);
  });

t.test('a poll of an executor that has a run gets none', async (t) => {
  const { control, startPoll } = await startExecutor(t);
  const earlier = await requestTestRun(control);
  await control.runs.cancel(earlier);
  await startPoll(undefined, { in_hand: earlier });
  const runId = await requestTestRun(control);
  t.match(await control.runs.get(runId), { state: 'queued' });
  const { answer } = await startPoll();
  t.match((await answer).lease, { run_id: runId });
});

t.test('runs that the executor that waits cannot do do not keep a request from its response', async (t) => {
  const { control, startPoll } = await startExecutor(t);
  const cleanup = '\n## CLEANUP\n\n### remove\n\nDELETE ${INGESTION_URL}/orders\n';
  await control.catalogue.write(
    'app',
    'RT-steps',
    { text: createScenarioText('RT-steps') + cleanup },
    { name: 'owner' },
  );
  const { answer } = await startPoll(undefined, { features: [] });
  const scenarios = [...Array.from({ length: 20 }, () => ({ id: 'RT-steps' })), { id: 'RT-GET-document' }];
  const runs = await control.runs.request('app', { scenarios }, { name: 'ana' });
  t.match(await control.runs.get(runs[0]?.run_id ?? ''), { state: 'queued' }, 'the poll looks itself');
  t.match((await answer).lease, { run_id: runs.at(-1)?.run_id });
  t.match(await control.runs.get(runs[0]?.run_id ?? ''), { state: 'failed', failure_kind: 'protocol_error' });
});

t.test(
  'a lease that cannot be returned ends by time, and the request is answered',
  { skip: skipOnPostgres },
  async (t) => {
    const { control, clock, startPoll } = await startExecutor(t);
    const refusal = `CREATE TRIGGER refuse BEFORE UPDATE OF state ON runs WHEN NEW.state = 'queued'
    BEGIN SELECT raise(ABORT, 'no'); END`;
    await control.database.write((sql) => void sql.run(refusal));
    const connection = new AbortController();
    const { answer } = await startPoll(connection.signal);
    const requested = requestTestRun(control);
    connection.abort();
    const runId = await requested;
    t.same((await answer).lease, null);
    t.match(await control.runs.get(runId), { state: 'in_progress' });
    await control.database.write((sql) => void sql.run('DROP TRIGGER refuse'));
    clock.advance(30_001);
    await eventually(async () => (await control.runs.get(runId)).state === 'queued', {
      until: (isQueued) => isQueued,
      description: 'the lease ends',
    });
  },
);
