import type { Test } from 'tap';
import { type OpenControl, openControl } from '../../src/control/open.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { type FakeClock, fakeClock } from '../environment/fake-clock.ts';
import { aScenario } from './a-report.ts';

/** A control plane on a folder of its own with a clock that stands still; closed after the test. */
export async function opened(
  t: Test,
  options: { folder?: string; clock?: FakeClock } = {},
): Promise<{ control: OpenControl; clock: FakeClock; folder: string }> {
  const folder = options.folder ?? t.testdir();
  const clock = options.clock ?? fakeClock();
  const onFault = (fault: unknown): void => {
    t.fail('background work failed', { fault });
  };
  const control = await openControl({ folder, clock, random: systemRandom, pid: 1, onFault });
  t.teardown(() => control.close());
  return { control, clock, folder };
}

/** The same with instance `app` and its scenario `RT-GET-document`. */
export async function openedWithApp(t: Test): ReturnType<typeof opened> {
  const all = await opened(t);
  await all.control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await all.control.catalogue.write('app', 'RT-GET-document', { text: aScenario() }, { name: 'owner' });
  return all;
}
