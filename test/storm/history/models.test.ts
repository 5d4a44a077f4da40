/** The models accept what a real queue does under any interleaving, and reject it after one thing was changed. */
import fc from 'fast-check';
import t from 'tap';
import { checkLinearizability, type Operation } from './linearizability.ts';
import {
  type AuditedCallInput,
  type AuditedCallOutput,
  auditedCallModel,
  idempotencyKeyModel,
  type QueueInput,
  type QueueOutput,
  type RunOutput,
  runModel,
  runQueueModel,
} from './models.ts';

type QueueOperation = Operation<QueueInput, QueueOutput>;

const formatId = (number: number): string => `20260101T${String(number).padStart(9, '0')}`;

/** A queue with one executor, driven by numbers; every operation takes effect somewhere in its interval. */
function simulateQueue(draws: readonly (readonly [number, number, number])[]): QueueOperation[] {
  const history: QueueOperation[] = [];
  const states = new Map<string, RunOutput>();
  let waiting: string[] = [];
  let nextNumber = 1;
  const isRunning = (): boolean => states.get(waiting[0] ?? '') === 'in_progress';
  for (const [index, [kind, pick, spread]] of draws.entries()) {
    const atMs = index * 10;
    const interval = { calledAtMs: atMs - spread, returnedAtMs: atMs + ((spread * 7) % 40) };
    const runId = [...states.keys()][pick % Math.max(1, states.size)];
    const head = waiting[0];
    if (kind === 0) {
      const runIds = Array.from({ length: 1 + (pick % 3) }, () => formatId(nextNumber++));
      for (const id of runIds) states.set(id, 'queued');
      waiting = [...waiting, ...runIds];
      history.push({ input: { kind: 'request', count: runIds.length }, output: { runIds }, ...interval });
    } else if (kind === 1 && head !== undefined) states.set(head, isRunning() ? 'queued' : 'in_progress');
    else if (kind === 2 && head !== undefined && isRunning()) {
      states.set(head, pick % 2 === 0 ? 'passed' : 'failed');
      waiting = waiting.slice(1);
    } else if (kind === 3) {
      const running = isRunning() ? (head ?? null) : null;
      const queued = waiting.length - (running === null ? 0 : 1);
      history.push({ input: { kind: 'status' }, output: { running, queued }, ...interval });
    } else if (kind === 4 && runId !== undefined) {
      const before = states.get(runId) ?? 'queued';
      const state = before === 'queued' ? 'cancelled' : before === 'in_progress' ? before : 'final';
      if (state === 'cancelled') {
        states.set(runId, state);
        waiting = waiting.filter((id) => id !== runId);
      }
      history.push({ input: { kind: 'cancel', runId, repeated: false }, output: { state, ahead: 0 }, ...interval });
    } else if (runId !== undefined) {
      const state = states.get(runId) ?? 'queued';
      const ahead = state === 'queued' ? waiting.indexOf(runId) : 0;
      history.push({ input: { kind: 'read', runId }, output: { state, ahead }, ...interval });
    }
  }
  return history;
}

const draws = fc.array(fc.tuple(fc.nat(7), fc.nat(1000), fc.nat(25)), { minLength: 20, maxLength: 60 });

t.test('every interleaving of a real queue is accepted', async (t) => {
  let checked = 0;
  fc.assert(
    fc.property(draws, (steps) => {
      const history = simulateQueue(steps);
      checked += history.length;
      return checkLinearizability(runQueueModel, history).verdict === 'linearizable';
    }),
    { numRuns: 300 },
  );
  t.ok(checked > 1000, `${checked} operations`);
});

/** After the history and before its verdict: reads that nothing overlaps. */
function readLast(history: readonly QueueOperation[], ...last: readonly [QueueInput, QueueOutput][]): string {
  const endMs = Math.max(0, ...history.map(({ returnedAtMs }) => returnedAtMs));
  const reads = last.map(([input, output], index) => {
    const calledAtMs = endMs + 10 + index * 10;
    return { input, output, calledAtMs, returnedAtMs: calledAtMs + 5 };
  });
  return checkLinearizability(runQueueModel, [...history, ...reads]).verdict;
}

t.test('a queue that breaks a promise is rejected, whatever came before', async () => {
  fc.assert(
    fc.property(draws, (steps) => {
      const history = simulateQueue(steps);
      const [a, b, c] = [formatId(900), formatId(901), formatId(902)];
      const request = (...runIds: string[]): [QueueInput, QueueOutput] => [
        { kind: 'request', count: runIds.length },
        { runIds },
      ];
      const read = (runId: string, state: RunOutput, ahead = 0): [QueueInput, QueueOutput] => [
        { kind: 'read', runId },
        { state, ahead },
      ];
      const status = (running: string | null, queued: number): [QueueInput, QueueOutput] => [
        { kind: 'status' },
        { running, queued },
      ];
      const cancel = (runId: string, state: RunOutput): [QueueInput, QueueOutput] => [
        { kind: 'cancel', runId, repeated: false },
        { state, ahead: 0 },
      ];
      const good = readLast(history, request(a, b), read(a, 'in_progress'), status(a, 1), read(a, 'passed'));
      if (good !== 'linearizable') throw new Error('the good end was rejected');
      const broken: Record<string, [QueueInput, QueueOutput][]> = {
        'ids go back': [request(b), request(a)],
        'an id is given twice': [request(a), request(a)],
        'fewer runs than requested': [[{ kind: 'request', count: 2 }, { runIds: [a] }]],
        'a run overtakes another': [request(a, b), read(b, 'in_progress'), read(a, 'queued')],
        'a run ends before an older one': [request(a, b), read(b, 'passed'), read(a, 'in_progress')],
        'two runs in progress': [request(a, b), read(b, 'in_progress'), read(a, 'in_progress')],
        'a run comes back from its end': [request(a), read(a, 'failed'), read(a, 'queued')],
        'a queued run is lost': [request(a, b), read(a, 'in_progress'), status(a, 0)],
        'a run is counted twice': [request(a, b), read(a, 'in_progress'), status(a, 2)],
        'the queue is empty and a run is queued later': [request(a), status(null, 0), read(a, 'queued')],
        'more runs ahead than there are': [request(a, b), read(a, 'in_progress'), read(b, 'queued', 2)],
        'a run that nobody requested': [read(c, 'queued')],
        'a cancel that does not hold': [request(a), cancel(a, 'cancelled'), read(a, 'in_progress')],
        'a refused cancel of a run that goes on': [request(a), cancel(a, 'final'), read(a, 'queued')],
      };
      for (const [name, last] of Object.entries(broken))
        if (readLast(history, ...last) !== 'not linearizable') throw new Error(`accepted: ${name}`);
    }),
    { numRuns: 60 },
  );
});

t.test('requests with one key get the same runs', async (t) => {
  const request = (output: readonly string[] | undefined, calledAtMs: number, returnedAtMs = calledAtMs + 5) => ({
    input: { count: 2 },
    output,
    calledAtMs,
    returnedAtMs,
  });
  const check = (...history: ReturnType<typeof request>[]): string =>
    checkLinearizability(idempotencyKeyModel, history).verdict;
  const lost = request(undefined, 0, Number.POSITIVE_INFINITY);
  t.equal(check(lost, request(['a', 'b'], 1), request(['a', 'b'], 2)), 'linearizable');
  t.equal(check(lost, request(['a', 'b'], 1), request(['a', 'c'], 2)), 'not linearizable');
  t.equal(check(request(['a'], 1)), 'not linearizable');
});

t.test('a run goes only where the state machine leads', async (t) => {
  const read = (output: RunOutput, calledAtMs: number) => ({
    input: { kind: 'read' } as const,
    output,
    calledAtMs,
    returnedAtMs: calledAtMs + 1,
  });
  const cancel = (output: RunOutput | undefined, calledAtMs: number) => ({
    ...read('queued', calledAtMs),
    input: { kind: 'cancel' } as const,
    output,
  });
  const check = (...history: Operation<{ kind: 'read' | 'cancel' }, RunOutput>[]): string =>
    checkLinearizability(runModel, history).verdict;
  t.equal(check(read('in_progress', 1), read('queued', 3), read('in_progress', 5), read('passed', 7)), 'linearizable');
  t.equal(check(read('queued', 1), cancel('cancelled', 3), read('cancelled', 5)), 'linearizable');
  t.equal(check(cancel('in_progress', 1), read('passed', 5)), 'linearizable');
  t.equal(check(read('passed', 1), cancel('final', 3)), 'linearizable');
  for (const [first, second] of [
    ['passed', 'failed'],
    ['failed', 'passed'],
    ['passed', 'in_progress'],
    ['cancelled', 'passed'],
    ['failed', 'queued'],
  ] as const)
    t.equal(check(read(first, 1), read(second, 3)), 'not linearizable', `${first}, then ${second}`);
  t.equal(check(cancel('final', 1), read('queued', 3)), 'not linearizable');
  t.equal(check(cancel('queued', 1)), 'not linearizable', 'a cancel leaves no run in the queue');
});

t.test('an answered call has one row, from its answer on', async (t) => {
  const operation = (kind: 'call' | 'search', rows: number | undefined, calledAtMs: number, returnedAtMs: number) => ({
    input: { kind },
    output: rows === undefined ? undefined : { rows },
    calledAtMs,
    returnedAtMs,
  });
  const check = (...history: Operation<AuditedCallInput, AuditedCallOutput>[]): string =>
    checkLinearizability(auditedCallModel, history).verdict;
  const call = operation('call', 1, 0, 10);
  const lost = operation('call', undefined, 0, Number.POSITIVE_INFINITY);
  t.equal(check(call, operation('search', 0, 1, 2), operation('search', 1, 11, 12)), 'linearizable');
  t.equal(check(call, operation('search', 0, 11, 12)), 'not linearizable', 'the row is missing');
  t.equal(check(call, operation('search', 2, 11, 12)), 'not linearizable', 'two rows');
  t.equal(check(lost, operation('search', 0, 1, 2), operation('search', 1, 11, 12)), 'linearizable');
  t.equal(check(lost, operation('search', 1, 1, 2), operation('search', 0, 11, 12)), 'not linearizable', 'a row gone');
});
