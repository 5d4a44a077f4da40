/** What is watched: nothing after the control plane was closed, where calls that waited end; and the newest lease of a run. */
import t from 'tap';
import { watchLeases } from '../../../src/control/leases/lease-watch.ts';
import { createPresenceTracker } from '../../../src/control/leases/presence.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

const hourMs = 3_600_000;

t.test('a call that waited and ends after the stop stores no change', async (t) => {
  const clock = fakeClock();
  const stored: string[] = [];
  const storeChange = async (instance: string): Promise<void> => void stored.push(instance);
  const presence = createPresenceTracker({
    clock,
    awayAfterMs: 1000,
    storeChange,
    onError: (error) => t.fail(`${error}`),
  });
  const endWaiting = presence.startWaiting('shop');
  t.same(stored, ['shop'], 'it has arrived');
  presence.stop();
  endWaiting();
  presence.recordCall('other');
  clock.advance(hourMs);
  t.same(stored, ['shop']);
});

t.test('a lease that is renewed after the stop does not expire', async (t) => {
  const clock = fakeClock();
  const expired: number[] = [];
  const expire = async (runMs: number): Promise<void> => void expired.push(runMs);
  const watch = watchLeases(clock, 1000, { list: async () => [], expire }, (error) => t.fail(`${error}`));
  watch.arm(1, 1);
  watch.stop();
  watch.arm(1, 1);
  clock.advance(hourMs);
  t.same(expired, []);
});

t.test('a lease that began while the store was looked at keeps its watch', async (t) => {
  const clock = fakeClock();
  const expired: number[] = [];
  const stored = Promise.withResolvers<{ id: number; fence: number }[]>();
  const expire = async (_runMs: number, fence: number): Promise<void> => void expired.push(fence);
  const watch = watchLeases(clock, 1000, { list: () => stored.promise, expire }, (error) => t.fail(`${error}`));
  t.teardown(() => watch.stop());
  const looked = watch.armStored();
  watch.arm(1, 2);
  stored.resolve([{ id: 1, fence: 1 }]);
  await looked;
  clock.advance(1000);
  t.same(expired, [2]);
});
