import t from 'tap';
import { type Attempt, createAttempts, networkOf } from '../../src/identity/attempts.ts';
import { fakeClock } from '../environment/fake-clock.ts';

const patience = (free: number) => ({ free, firstMs: 1000, longestMs: 60_000, forgetMs: 3_600_000 });
const settings = { accountPatience: patience(3), addressPatience: patience(6) };
const ana: Attempt = { account: 'ana@example.com', address: '10.0.0.1' };

function started() {
  const clock = fakeClock();
  const attempts = createAttempts(clock, settings);
  /** Seconds to wait; 0 when it may begin. */
  const waits = (attempt: Attempt): number => {
    try {
      attempts.begin(attempt);
      return 0;
    } catch (error) {
      return Object(error).values.retry_after_s;
    }
  };
  return { clock, attempts, waits };
}

t.test('a few failures cost nothing, each further one doubles the wait up to the longest', async (t) => {
  const { clock, waits } = started();
  t.same([waits(ana), waits(ana), waits(ana), waits(ana)], [0, 0, 0, 0]);
  const seen: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const wait = waits(ana);
    seen.push(wait);
    clock.advance(wait * 1000);
    t.equal(waits(ana), 0, 'after the wait it may');
  }
  t.same(seen, [1, 2, 4, 8, 16, 32, 60, 60]);
});

t.test('attempts at the same time are failures until they have succeeded', async (t) => {
  const { waits, attempts } = started();
  t.same([1, 2, 3, 4].map(() => waits(ana)).at(-1), 0);
  t.ok(waits(ana) > 0, 'the fifth of many at once has to wait, though none has failed yet');
  attempts.succeeded(ana);
  t.equal(waits(ana), 0);
});

t.test('nobody is locked out from elsewhere', async (t) => {
  const { waits } = started();
  while (waits(ana) === 0);
  t.equal(waits({ ...ana, address: '10.0.0.2' }), 0);
  t.equal(waits({ ...ana, device: 'hers' }), 0, 'and in a browser that signed in before not even from there');
});

t.test(
  'an address that guesses at many accounts has to wait for all of them, but known browsers there do not',
  async (t) => {
    const { waits } = started();
    let tries = 0;
    while (waits({ account: `nobody-${tries}`, address: '10.0.0.1' }) === 0) tries += 1;
    t.equal(tries, 7);
    t.ok(waits(ana) > 0);
    t.equal(waits({ ...ana, address: '10.0.0.9' }), 0);
    t.equal(waits({ ...ana, device: 'hers' }), 0);
  },
);

t.test('signing in to one’s own account takes no failure of others from the address', async (t) => {
  const { waits, attempts } = started();
  for (let round = 0; round < 7; round += 1) waits({ account: `victim-${round}`, address: '10.0.0.1' });
  const mine = { account: 'mallory', address: '10.0.0.1' };
  attempts.succeeded(mine);
  attempts.succeeded(mine);
  t.ok(waits({ account: 'victim-9', address: '10.0.0.1' }) > 0);
});

t.test('failures are forgotten after a while', async (t) => {
  const { clock, waits } = started();
  while (waits(ana) === 0);
  clock.advance(3_600_000);
  t.same(
    [1, 2, 3, 4].map(() => waits(ana)),
    [0, 0, 0, 0],
  );
});

t.test('neighbours within an IPv6 network are one, however they are written', async (t) => {
  t.equal(networkOf('2001:db8:1:2:aaaa::1'), networkOf('2001:db8:1:2::ffff'));
  t.not(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'));
  t.equal(networkOf('::ffff:10.0.0.1'), '10.0.0.1');
  t.equal(networkOf('::1'), '0:0:0:0::/64');
  t.equal(networkOf('10.0.0.1'), '10.0.0.1');
  t.equal(networkOf('2001:db8::1'), networkOf('2001:db8:0:0:1::'));
});
