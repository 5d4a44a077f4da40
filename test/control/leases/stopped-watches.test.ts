/** Calls of an executor that end after the control plane was closed, as those that wait do, start nothing that writes to its store. */
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
