import t from 'tap';
import type { ControlPort, HeartbeatRequest, HeartbeatResponse, Lease } from '../../../src/contract/executor-api.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import { ActiveLease, getClockReading } from '../../../src/executor/leases/active-lease.ts';
import { type FakeClock, fakeClock } from '../../environment/fake-clock.ts';
import { FakeControlPlane } from '../fake-control-plane.ts';

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

type LeaseTest = {
  readonly clock: FakeClock;
  readonly activeLease: ActiveLease;
  readonly heartbeats: HeartbeatRequest[];
};

/** A lease requested just now, whose heartbeats are answered by `answer`. */
function createLeaseTest(
  answer: (heartbeatCount: number) => Promise<HeartbeatResponse>,
  leaseValues: Partial<Lease> = {},
): LeaseTest {
  const clock = fakeClock();
  const heartbeats: HeartbeatRequest[] = [];
  const heartbeat: ControlPort['heartbeat'] = (message) => {
    heartbeats.push(message);
    return answer(heartbeats.length);
  };
  const control = new FakeControlPlane();
  const port: ControlPort = {
    challenge: (message) => control.challenge(message),
    hello: (message) => control.hello(message),
    poll: (message) => control.poll(message),
    complete: (message) => control.complete(message),
    giveBack: (message) => control.giveBack(message),
    directRun: (message) => control.directRun(message),
    heartbeat,
  };
  const options = {
    control: port,
    clock,
    epoch: 3,
    heartbeatMs: 1000,
    sentAt: getClockReading(clock),
    isAnnounced: false,
    journal,
  };
  return { clock, heartbeats, activeLease: new ActiveLease({ ...lease, ...leaseValues }, options) };
}

const journal = () => ({ seq: 1, registered_at_ms: 0, epoch: 3, fence: 0, finished_runs: 0 });

const waitForTurn = () => new Promise((resolve) => setImmediate(resolve));
const renewed = async (): Promise<HeartbeatResponse> => ({ lease_ms: 30_000, cancel_requested: false });
const away = async (): Promise<HeartbeatResponse> => {
  throw new TypeError('fetch failed');
};

t.test('a lease counts from the time of its request', async (t) => {
  const { clock, activeLease } = createLeaseTest(away, { lease_ms: 900 });
  t.equal(activeLease.isValid, true);
  clock.advance(899);
  t.equal(activeLease.isValid, true);
  clock.advance(1);
  t.equal(activeLease.isValid, false);
  activeLease.release();
});

t.test('heartbeats contain the run, its fence and the epoch, and extend the lease', async (t) => {
  const { clock, activeLease, heartbeats } = createLeaseTest(renewed);
  for (let second = 0; second < 100; second += 1) {
    clock.advance(1000);
    await waitForTurn();
  }
  t.equal(activeLease.isValid, true);
  t.equal(heartbeats.length, 100);
  t.strictSame(heartbeats[0], { epoch: 3, run_id: lease.run_id, fence: 7, journal: journal() });
  activeLease.release();
});

t.test('a heartbeat extends the lease from when it was sent, not from its response', async (t) => {
  let answer = (_pulse: HeartbeatResponse): void => {};
  const { clock, activeLease } = createLeaseTest(() => new Promise((resolve) => (answer = resolve)));
  clock.advance(1000);
  clock.advance(9000);
  answer({ lease_ms: 10_000, cancel_requested: false });
  await waitForTurn();
  clock.advance(999);
  t.equal(activeLease.isValid, true);
  clock.advance(1);
  t.equal(activeLease.isValid, false);
  activeLease.release();
});

t.test('while the control plane is unreachable the lease continues until it expires', async (t) => {
  const { clock, activeLease, heartbeats } = createLeaseTest(away);
  for (let second = 0; second < 29; second += 1) {
    clock.advance(1000);
    await waitForTurn();
  }
  t.equal(activeLease.isValid, true);
  t.equal(heartbeats.length, 29);
  clock.advance(1000);
  t.equal(activeLease.isValid, false);
  activeLease.release();
});

t.test('a machine that slept has no lease, although its monotonic clock stopped', async (t) => {
  const { clock, activeLease } = createLeaseTest(renewed);
  clock.jump(31_000);
  t.equal(activeLease.isValid, false);
  activeLease.release();
});

t.test('a lost lease and a takeover end it at once', async (t) => {
  const lost = createLeaseTest(async () => ({ lease_ms: 0, cancel_requested: false }));
  const superseded = createLeaseTest(async () => {
    throw vpError('EXECUTOR_SUPERSEDED', { instance: 'shop', epoch: 3, current: 4 });
  });
  for (const { clock, activeLease } of [lost, superseded]) {
    clock.advance(1000);
    await waitForTurn();
    t.equal(activeLease.isValid, false);
    activeLease.release();
  }
});

t.test('a cancellation arrives with the lease or with a heartbeat', async (t) => {
  const early = createLeaseTest(renewed, { cancel_requested: true });
  t.equal(early.activeLease.cancelSignal.aborted, true);
  early.activeLease.release();
  const { clock, activeLease } = createLeaseTest(async (heartbeatCount) => ({
    lease_ms: 30_000,
    cancel_requested: heartbeatCount === 2,
  }));
  clock.advance(1000);
  await waitForTurn();
  t.equal(activeLease.cancelSignal.aborted, false);
  clock.advance(1000);
  await waitForTurn();
  t.equal(activeLease.cancelSignal.aborted, true);
  activeLease.release();
});

t.test('after the release nothing is sent', async (t) => {
  const { clock, activeLease, heartbeats } = createLeaseTest(renewed);
  activeLease.release();
  clock.advance(5000);
  await waitForTurn();
  t.equal(heartbeats.length, 0);
});

t.test('a heartbeat and an announcement that are on their way end with the release', async (t) => {
  const { clock, activeLease, heartbeats } = createLeaseTest(() => new Promise(() => {}));
  const announcement = activeLease.announceSend(new AbortController().signal);
  clock.advance(1000);
  await waitForTurn();
  t.equal(heartbeats.length, 2);
  activeLease.release();
  t.equal(await announcement, false);
  clock.advance(30_000);
  await waitForTurn();
  t.equal(heartbeats.length, 2, 'and no other follows');
});

t.test('a heartbeat without a response is abandoned, and the next is sent', async (t) => {
  const { clock, activeLease, heartbeats } = createLeaseTest((heartbeatCount) =>
    heartbeatCount === 1 ? new Promise(() => {}) : renewed(),
  );
  clock.advance(1000);
  clock.advance(10_000);
  await waitForTurn();
  clock.advance(1000);
  await waitForTurn();
  t.equal(heartbeats.length, 2);
  t.equal(activeLease.isValid, true);
  activeLease.release();
});
