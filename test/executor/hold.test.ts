import t from 'tap';
import type { ControlPort, Heartbeat, Lease, Pulse } from '../../src/contract/executor-api.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { Hold, momentOf } from '../../src/executor/hold.ts';
import { type FakeClock, fakeClock } from '../environment/fake-clock.ts';
import { ControlDouble } from './control-double.ts';

const lease: Lease = {
  run_id: '20261120T143012345',
  correlation_id: 'tr-20261120T143012345-x',
  fence: 7,
  lease_ms: 30_000,
  scenario_id: 'RT-document',
  revision: 1,
  scenario_text: '# …',
  queued_ms: 0,
  cancel_requested: false,
};

type Held = { readonly clock: FakeClock; readonly hold: Hold; readonly beats: Heartbeat[] };

/** A hold whose heartbeats are answered by `answer`; the lease was asked for just now. */
function held(answer: (beat: number) => Promise<Pulse>, given: Partial<Lease> = {}): Held {
  const clock = fakeClock();
  const beats: Heartbeat[] = [];
  const heartbeat: ControlPort['heartbeat'] = (message) => {
    beats.push(message);
    return answer(beats.length);
  };
  const control = new ControlDouble();
  const port: ControlPort = {
    hello: (message) => control.hello(message),
    poll: (message) => control.poll(message),
    complete: (message) => control.complete(message),
    giveBack: (message) => control.giveBack(message),
    directRun: (message) => control.directRun(message),
    heartbeat,
  };
  const options = { control: port, clock, epoch: 3, heartbeatMs: 1000, sentAt: momentOf(clock) };
  return { clock, beats, hold: new Hold({ ...lease, ...given }, options) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const kept = async (): Promise<Pulse> => ({ lease_ms: 30_000, cancel_requested: false });
const away = async (): Promise<Pulse> => {
  throw new TypeError('fetch failed');
};

t.test('a lease counts from the moment it was asked for', async (t) => {
  const { clock, hold } = held(away, { lease_ms: 900 });
  t.equal(hold.valid, true);
  clock.advance(899);
  t.equal(hold.valid, true);
  clock.advance(1);
  t.equal(hold.valid, false);
  hold.release();
});

t.test('heartbeats name the run, its fence and the epoch, and prolong the lease', async (t) => {
  const { clock, hold, beats } = held(kept);
  for (let second = 0; second < 100; second += 1) {
    clock.advance(1000);
    await settled();
  }
  t.equal(hold.valid, true);
  t.equal(beats.length, 100);
  t.strictSame(beats[0], { epoch: 3, run_id: lease.run_id, fence: 7 });
  hold.release();
});

t.test('a heartbeat prolongs from when it was sent, not from when it was answered', async (t) => {
  let answer = (_pulse: Pulse): void => {};
  const { clock, hold } = held(() => new Promise((resolve) => (answer = resolve)));
  clock.advance(1000);
  clock.advance(9000);
  answer({ lease_ms: 10_000, cancel_requested: false });
  await settled();
  clock.advance(999);
  t.equal(hold.valid, true);
  clock.advance(1);
  t.equal(hold.valid, false);
  hold.release();
});

t.test('while the control plane is away the lease goes on to its own end', async (t) => {
  const { clock, hold, beats } = held(away);
  for (let second = 0; second < 29; second += 1) {
    clock.advance(1000);
    await settled();
  }
  t.equal(hold.valid, true);
  t.equal(beats.length, 29);
  clock.advance(1000);
  t.equal(hold.valid, false);
  hold.release();
});

t.test('a machine that slept has no lease, though its monotonic clock stood still', async (t) => {
  const { clock, hold } = held(kept);
  clock.jump(31_000);
  t.equal(hold.valid, false);
  hold.release();
});

t.test('a lost lease and a takeover end it at once', async (t) => {
  const lost = held(async () => ({ lease_ms: 0, cancel_requested: false }));
  const superseded = held(async () => {
    throw vpError('EXECUTOR_SUPERSEDED', { instance: 'shop', epoch: 3, current: 4 });
  });
  for (const { clock, hold } of [lost, superseded]) {
    clock.advance(1000);
    await settled();
    t.equal(hold.valid, false);
    hold.release();
  }
});

t.test('a cancel arrives with the lease or with a heartbeat', async (t) => {
  const early = held(kept, { cancel_requested: true });
  t.equal(early.hold.cancelled.aborted, true);
  early.hold.release();
  const { clock, hold } = held(async (beat) => ({ lease_ms: 30_000, cancel_requested: beat === 2 }));
  clock.advance(1000);
  await settled();
  t.equal(hold.cancelled.aborted, false);
  clock.advance(1000);
  await settled();
  t.equal(hold.cancelled.aborted, true);
  hold.release();
});

t.test('after its release nothing is sent', async (t) => {
  const { clock, hold, beats } = held(kept);
  hold.release();
  clock.advance(5000);
  await settled();
  t.equal(beats.length, 0);
});

t.test('a heartbeat without an answer is given up, and the next is sent', async (t) => {
  const { clock, hold, beats } = held((beat) => (beat === 1 ? new Promise(() => {}) : kept()));
  clock.advance(1000);
  clock.advance(10_000);
  await settled();
  clock.advance(1000);
  await settled();
  t.equal(beats.length, 2);
  t.equal(hold.valid, true);
  hold.release();
});
