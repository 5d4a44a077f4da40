import t from 'tap';
import { createNetworkLimiter, createRateLimiter, widePrefixFactor } from '../../src/limits/rate-limiter.ts';
import { fakeClock } from '../environment/fake-clock.ts';

const limit = { maxCount: 2, windowMs: 60_000 };

t.test('each key has its own count and window', async (t) => {
  const clock = fakeClock();
  const limitedKeys: string[] = [];
  const limiter = createRateLimiter(clock, limit, (key) => limitedKeys.push(key));
  t.same(
    [1, 2].map(() => limiter.tryTake('a')),
    [undefined, undefined],
  );
  clock.advance(20_000);
  t.equal(limiter.tryTake('b'), undefined);
  t.equal(limiter.tryTake('a'), 40, 'the seconds until its window ends');
  t.throws(() => limiter.take('a'), { code: 'RATE_LIMITED', values: { retry_after_s: 40 } });
  t.same(limitedKeys, ['a'], 'reported once per window');
  clock.advance(40_000);
  t.equal(limiter.tryTake('a'), undefined);
  t.equal(limiter.tryTake('b'), undefined);
  t.equal(limiter.tryTake('b'), 20);
});

t.test('a use can cost more than one, and nothing when it only looks', async (t) => {
  const limitedKeys: string[] = [];
  const limiter = createRateLimiter(fakeClock(), limit, (key) => limitedKeys.push(key));
  t.equal(limiter.tryTake('a', 2), undefined);
  t.equal(limiter.tryTake('a', 0), undefined);
  t.equal(limiter.tryTake('a', 5), 60);
  t.equal(limiter.tryTake('a', 0), 60);
  t.equal(limiter.tryTake('a', 5), 60);
  t.same(limitedKeys, ['a']);
});

t.test('many other keys do not reset the count of a key in use', async (t) => {
  const limiter = createRateLimiter(fakeClock(), limit);
  for (let round = 0; round < 3; round += 1) limiter.tryTake('a');
  for (let count = 0; count < 50_000; count += 1) {
    limiter.tryTake(`other ${count}`);
    if (count % 10_000 === 0) t.not(limiter.tryTake('a'), undefined);
  }
  t.not(limiter.tryTake('a'), undefined);
});

t.test('networks are counted, not addresses', async (t) => {
  const limitedNetworks: string[] = [];
  const limiter = createNetworkLimiter(fakeClock(), limit, (network) => limitedNetworks.push(network));
  for (const address of ['2001:db8::1', '2001:db8::2', '10.0.0.1', '::ffff:10.0.0.1'])
    t.equal(limiter.tryTake(address), undefined, address);
  t.equal(limiter.tryTake('2001:db8::3'), 60);
  t.equal(limiter.tryTake('10.0.0.1'), 60);
  t.throws(() => limiter.take('2001:db8::4'), { code: 'RATE_LIMITED' });
  t.same(limitedNetworks, ['2001:db8:0:0::/64', '10.0.0.1']);
});

t.test('many /64 of one /56 are limited together', async (t) => {
  const limitedNetworks: string[] = [];
  const limiter = createNetworkLimiter(fakeClock(), limit, (network) => limitedNetworks.push(network));
  const maxCount = limit.maxCount * widePrefixFactor;
  const accepted = Array.from({ length: 256 }, (_, index) => `2001:db8:0:${index.toString(16)}::1`).filter(
    (address) => limiter.tryTake(address) === undefined,
  );
  t.equal(accepted.length, maxCount);
  t.same(limitedNetworks, ['2001:db8:0:0::/56']);
  t.equal(limiter.tryTake('2001:db8:0:100::1'), undefined, 'the next /56 is not limited');
});

t.test('a limited /64 does not use up what its neighbours may', async (t) => {
  const limiter = createNetworkLimiter(fakeClock(), limit);
  for (let round = 0; round < 100; round += 1) limiter.tryTake('2001:db8:0:1::1');
  t.equal(limiter.tryTake('2001:db8:0:2::1'), undefined);
});
