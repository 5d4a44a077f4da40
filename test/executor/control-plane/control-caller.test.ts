import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import { ControlCaller } from '../../../src/executor/control-plane/control-caller.ts';

const never = new AbortController().signal;

/** Pauses are recorded instead of waiting. */
function createTestCaller() {
  const pauses: number[] = [];
  const lines: string[] = [];
  const clock = {
    ...systemClock,
    sleep: async (delayMs: number) => {
      pauses.push(delayMs);
    },
  };
  const fields: unknown[] = [];
  const note = (logFields: unknown, message: string): void => {
    fields.push(logFields);
    lines.push(message);
  };
  return { pauses, lines, fields, caller: new ControlCaller(clock, systemRandom, { info: note, warn: note }) };
}

t.test('a call is retried until it succeeds, with growing random pauses', async (t) => {
  const { pauses, lines, caller } = createTestCaller();
  let calls = 0;
  const result = await caller.call({ timeoutMs: 1000, signal: never }, async () => {
    calls += 1;
    if (calls <= 12) throw new TypeError('fetch failed');
    return calls;
  });
  t.equal(result, 13);
  pauses.forEach((pauseMs, index) => {
    const fullMs = Math.min(5000, 200 * 2 ** index);
    t.ok(pauseMs >= fullMs / 2 && pauseMs <= fullMs, `${pauseMs} of ${fullMs}`);
  });
  t.strictSame(lines, ['the control plane does not answer; trying again', 'the control plane answers again']);
  t.equal(caller.problem, undefined);
});

t.test('every new reason is logged once', async (t) => {
  const { lines, caller } = createTestCaller();
  const problems = ['a', 'a', 'b', 'b', 'a'];
  await caller.call({ timeoutMs: 1000, signal: never }, async () => {
    const problem = problems.shift();
    if (problem) throw new Error(problem);
  });
  t.equal(lines.length, 4);
});

t.test('a refused key and other errors are logged with code and fix', async (t) => {
  const { pauses, lines, fields, caller } = createTestCaller();
  const errors = [
    vpError('CREDENTIAL_INVALID', {}),
    vpError('CREDENTIAL_INSUFFICIENT', { action: 'poll' }),
    vpError('CONTROL_PLANE_FAULT', { url: 'http://a', request_id: 'b' }),
    vpError('CONTROL_PLANE_UNREACHABLE', { url: 'http://a', problem: 'b' }),
  ];
  await caller.call({ timeoutMs: 1000, signal: never }, async () => {
    const error = errors.shift();
    if (error) throw error;
  });
  t.strictSame(lines, [
    'the control plane refuses the key; trying again',
    'the control plane refuses the key; trying again',
    'the control plane answers with an error; trying again',
    'the control plane does not answer; trying again',
    'the control plane answers again',
  ]);
  t.match(fields[0], { code: 'CREDENTIAL_INVALID', cure: /VP_TOKEN/ });
  t.match(fields[2], { code: 'CONTROL_PLANE_FAULT' });
  t.strictSame(pauses.slice(0, 2), [5000, 5000], 'a key is not mended within milliseconds');
});

t.test('a takeover and errors that the caller considers final are thrown at once', async (t) => {
  const { caller } = createTestCaller();
  const superseded = vpError('EXECUTOR_SUPERSEDED', { instance: 'a', epoch: 1, current: 2 });
  await t.rejects(
    caller.call({ timeoutMs: 1000, signal: never }, () => Promise.reject(superseded)),
    superseded,
  );
  const unknown = vpError('RUN_UNKNOWN', { run: 'x' });
  const isFinal = (error: { code: string }) => error.code === 'RUN_UNKNOWN';
  await t.rejects(
    caller.call({ timeoutMs: 1000, signal: never, isFinal }, () => Promise.reject(unknown)),
    unknown,
  );
  t.equal(caller.problem, undefined);
});

t.test('an aborted signal ends the retries, also between two attempts', async (t) => {
  const caller = new ControlCaller(systemClock, systemRandom, { info() {}, warn() {} });
  const stop = new AbortController();
  const rejected = caller.call({ timeoutMs: 1000, signal: stop.signal }, () => Promise.reject(new Error('away')));
  setImmediate(() => stop.abort(new Error('stopping')));
  await t.rejects(rejected, { message: 'stopping' });
  t.equal(caller.problem, 'away');
});
