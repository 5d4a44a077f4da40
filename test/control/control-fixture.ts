import type { Test } from 'tap';
import { type OpenControl, openControl } from '../../src/control/open-control.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { type FakeClock, fakeClock } from '../environment/fake-clock.ts';
import { openStoresUnderTest } from '../store/engine-under-test.ts';
import { createScenarioText } from './report-fixture.ts';

/** Errors of background work fail the test unless `onFault` takes them. */
type TestControlOptions = { folder?: string; clock?: FakeClock; onFault?: (fault: unknown) => void };

/** Opens a control plane in a folder of its own with a fake clock; closed after the test. */
export async function openTestControl(
  t: Test,
  options: TestControlOptions = {},
): Promise<{ control: OpenControl; clock: FakeClock; folder: string }> {
  const folder = options.folder ?? t.testdir();
  const clock = options.clock ?? fakeClock();
  const failTest = (fault: unknown): void => {
    t.fail('background work failed', { fault });
  };
  const onError = options.onFault ?? failTest;
  const store = (await openStoresUnderTest(t, folder))?.control;
  const control = await openControl({ folder, clock, random: systemRandom, pid: 1, onError, store });
  t.teardown(() => control.close());
  return { control, clock, folder };
}

/** A control plane with the instance `app` and its scenario `RT-GET-document`. */
export async function openTestControlWithApp(
  t: Test,
  options: TestControlOptions = {},
): ReturnType<typeof openTestControl> {
  const testControl = await openTestControl(t, options);
  await testControl.control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await testControl.control.catalogue.write(
    'app',
    'RT-GET-document',
    { text: createScenarioText() },
    { name: 'owner' },
  );
  return testControl;
}
