import t from 'tap';
import { createSignInLimiter, type SignInAttempt } from '../../../src/identity/sessions/sign-in-limiter.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

const backoff = (freeFailures: number) => ({
  freeFailures,
  initialDelayMs: 1000,
  maxDelayMs: 60_000,
  resetAfterMs: 3_600_000,
});
const settings = { accountBackoff: backoff(3), addressBackoff: backoff(6) };
const ana: SignInAttempt = { account: 'ana@example.com', address: '10.0.0.1' };

function startLimiter() {
  const clock = fakeClock();
  const limiter = createSignInLimiter(clock, settings);
  /** The seconds to wait; 0 when the attempt is allowed. */
  const getWaitSeconds = (attempt: SignInAttempt): number => {
    try {
      limiter.start(attempt);
      return 0;
    } catch (error) {
      return Object(error).values.retry_after_s;
    }
  };
  return { clock, attempts: limiter, waits: getWaitSeconds };
}

t.test('the first failures are free, and each further one doubles the delay up to the maximum', async (t) => {
  const { clock, waits: getWaitSeconds } = startLimiter();
  t.same([getWaitSeconds(ana), getWaitSeconds(ana), getWaitSeconds(ana), getWaitSeconds(ana)], [0, 0, 0, 0]);
  const delays: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const wait = getWaitSeconds(ana);
    delays.push(wait);
    clock.advance(wait * 1000);
    t.equal(getWaitSeconds(ana), 0, 'allowed after the delay');
  }
  t.same(delays, [1, 2, 4, 8, 16, 32, 60, 60]);
});

t.test('concurrent attempts count as failures until they succeed', async (t) => {
  const { waits: getWaitSeconds, attempts: limiter } = startLimiter();
  t.same([1, 2, 3, 4].map(() => getWaitSeconds(ana)).at(-1), 0);
  t.ok(getWaitSeconds(ana) > 0, 'the fifth concurrent attempt is delayed, although none has failed yet');
  limiter.recordSuccess(ana);
  t.equal(getWaitSeconds(ana), 0);
});

t.test('failures from one address do not delay another address', async (t) => {
  const { waits: getWaitSeconds } = startLimiter();
  while (getWaitSeconds(ana) === 0);
  t.equal(getWaitSeconds({ ...ana, address: '10.0.0.2' }), 0);
  t.equal(getWaitSeconds({ ...ana, device: 'hers' }), 0, 'a known browser at the same address is not delayed either');
});

t.test('an address that guesses at many accounts is delayed for all of them, except in known browsers', async (t) => {
  const { waits: getWaitSeconds } = startLimiter();
  let attempts = 0;
  while (getWaitSeconds({ account: `nobody-${attempts}`, address: '10.0.0.1' }) === 0) attempts += 1;
  t.equal(attempts, 7);
  t.ok(getWaitSeconds(ana) > 0);
  t.equal(getWaitSeconds({ ...ana, address: '10.0.0.9' }), 0);
  t.equal(getWaitSeconds({ ...ana, device: 'hers' }), 0);
});

t.test('signing in to one account does not clear the failures of the address with others', async (t) => {
  const { waits: getWaitSeconds, attempts: limiter } = startLimiter();
  for (let round = 0; round < 7; round += 1) getWaitSeconds({ account: `victim-${round}`, address: '10.0.0.1' });
  const attempt = { account: 'mallory', address: '10.0.0.1' };
  limiter.recordSuccess(attempt);
  limiter.recordSuccess(attempt);
  t.ok(getWaitSeconds({ account: 'victim-9', address: '10.0.0.1' }) > 0);
});

t.test('failures are forgotten after the reset time', async (t) => {
  const { clock, waits: getWaitSeconds } = startLimiter();
  while (getWaitSeconds(ana) === 0);
  clock.advance(3_600_000);
  t.same(
    [1, 2, 3, 4].map(() => getWaitSeconds(ana)),
    [0, 0, 0, 0],
  );
});

t.test('the addresses of one /64 are delayed together, and the /64 of one /56 after more failures', async (t) => {
  const { waits: getWaitSeconds } = startLimiter();
  const attempt = (index: number, address: string) => getWaitSeconds({ account: `nobody-${index}`, address });
  let attempts = 0;
  while (attempt(attempts, `2001:db8::${attempts}`) === 0) attempts += 1;
  t.equal(attempts, 7);
  while (attempt(attempts, `2001:db8:0:${attempts}::1`) === 0) attempts += 1;
  t.equal(attempts, 25, 'four times as many failures are free');
  t.ok(getWaitSeconds({ ...ana, address: '2001:db8:0:77::1' }) > 0);
  t.equal(getWaitSeconds({ ...ana, address: '2001:db8:0:100::1' }), 0);
  t.equal(getWaitSeconds({ ...ana, device: 'hers' }), 0);
});
