import type { Test } from 'tap';
import { type OpenControl, openControl } from '../../src/control/open-control.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { type FakeClock, fakeClock } from '../environment/fake-clock.ts';
import { openStoresUnderTest } from '../store/engine-under-test.ts';
import { createScenarioText } from './report-fixture.ts';

/** Opens a control plane in a folder of its own with a fake clock; closed after the test. */
export async function openTestControl(
  t: Test,
  options: { folder?: string; clock?: FakeClock } = {},
): Promise<{ control: OpenControl; clock: FakeClock; folder: string }> {
  const folder = options.folder ?? t.testdir();
  const clock = options.clock ?? fakeClock();
  const onFault = (fault: unknown): void => {
    t.fail('background work failed', { fault });
  };
  const store = (await openStoresUnderTest(t, folder))?.control;
  const control = await openControl({ folder, clock, random: systemRandom, pid: 1, onError: onFault, store });
  t.teardown(() => control.close());
  return { control, clock, folder };
}

/** A control plane with the instance `app` and its scenario `RT-GET-document`. */
export async function openTestControlWithApp(t: Test): ReturnType<typeof openTestControl> {
  const testControl = await openTestControl(t);
  await testControl.control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await testControl.control.catalogue.write(
    'app',
    'RT-GET-document',
    { text: createScenarioText() },
    { name: 'owner' },
  );
  return testControl;
}
