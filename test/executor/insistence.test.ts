import t from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { Insistence } from '../../src/executor/insistence.ts';
import { NoAnswer, within } from '../../src/executor/within.ts';
import { fakeClock } from '../environment/fake-clock.ts';

const never = new AbortController().signal;

/** Pauses are noted and not waited for. */
function hurried() {
  const pauses: number[] = [];
  const lines: string[] = [];
  const clock = {
    ...systemClock,
    sleep: async (delayMs: number) => {
      pauses.push(delayMs);
    },
  };
  const fields: unknown[] = [];
  const note = (said: unknown, message: string): void => {
    fields.push(said);
    lines.push(message);
  };
  return { pauses, lines, fields, insistence: new Insistence(clock, systemRandom, { info: note, warn: note }) };
}

t.test('a call is repeated until it is answered, with growing pauses that differ', async (t) => {
  const { pauses, lines, insistence } = hurried();
  let calls = 0;
  const answer = await insistence.call({ limitMs: 1000, signal: never }, async () => {
    calls += 1;
    if (calls <= 12) throw new TypeError('fetch failed');
    return calls;
  });
  t.equal(answer, 13);
  pauses.forEach((pauseMs, at) => {
    const fullMs = Math.min(5000, 200 * 2 ** at);
    t.ok(pauseMs >= fullMs / 2 && pauseMs <= fullMs, `${pauseMs} of ${fullMs}`);
  });
  t.strictSame(lines, ['the control plane does not answer; trying again', 'the control plane answers again']);
  t.equal(insistence.problem, undefined);
});

t.test('every new reason is told once', async (t) => {
  const { lines, insistence } = hurried();
  const problems = ['a', 'a', 'b', 'b', 'a'];
  await insistence.call({ limitMs: 1000, signal: never }, async () => {
    const problem = problems.shift();
    if (problem) throw new Error(problem);
  });
  t.equal(lines.length, 4);
});

t.test('a refused key and other errors are told as what they are, with code and cure', async (t) => {
  const { pauses, lines, fields, insistence } = hurried();
  const answers = [
    vpError('CREDENTIAL_INVALID', {}),
    vpError('CREDENTIAL_INSUFFICIENT', { action: 'poll' }),
    vpError('CONTROL_PLANE_FAULT', { url: 'http://a', request_id: 'b' }),
    vpError('CONTROL_PLANE_UNREACHABLE', { url: 'http://a', problem: 'b' }),
  ];
  await insistence.call({ limitMs: 1000, signal: never }, async () => {
    const error = answers.shift();
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

t.test('a takeover and what the caller calls final are thrown at once', async (t) => {
  const { insistence } = hurried();
  const superseded = vpError('EXECUTOR_SUPERSEDED', { instance: 'a', epoch: 1, current: 2 });
  await t.rejects(
    insistence.call({ limitMs: 1000, signal: never }, () => Promise.reject(superseded)),
    superseded,
  );
  const unknown = vpError('RUN_UNKNOWN', { run: 'x' });
  const isFinal = (error: { code: string }) => error.code === 'RUN_UNKNOWN';
  await t.rejects(
    insistence.call({ limitMs: 1000, signal: never, isFinal }, () => Promise.reject(unknown)),
    unknown,
  );
  t.equal(insistence.problem, undefined);
});

t.test('an aborted signal ends it, also between two attempts', async (t) => {
  const insistence = new Insistence(systemClock, systemRandom, { info() {}, warn() {} });
  const stop = new AbortController();
  const ended = insistence.call({ limitMs: 1000, signal: stop.signal }, () => Promise.reject(new Error('away')));
  setImmediate(() => stop.abort(new Error('stopping')));
  await t.rejects(ended, { message: 'stopping' });
  t.equal(insistence.problem, 'away');
});

t.test('a call is given up after its limit, and told so', async (t) => {
  const clock = fakeClock();
  let given: AbortSignal | undefined;
  const call = within(clock, 5000, never, (signal) => {
    given = signal;
    return new Promise(() => {});
  });
  clock.advance(5000);
  await t.rejects(call, new NoAnswer('no answer within 5 s'));
  t.equal(given?.aborted, true);
});

t.test('an aborted caller hears its own reason, and a call that has not begun never does', async (t) => {
  const stop = new AbortController();
  const call = within(systemClock, 5000, stop.signal, () => new Promise(() => {}));
  stop.abort(new Error('stopping'));
  await t.rejects(call, { message: 'stopping' });
  await t.rejects(
    within(systemClock, 5000, stop.signal, async () => t.fail('it began')),
    { message: 'stopping' },
  );
});

t.test('an answer is passed on, and so is a failure', async (t) => {
  t.equal(await within(systemClock, 5000, never, async () => 7), 7);
  await t.rejects(
    within(systemClock, 5000, never, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
});
