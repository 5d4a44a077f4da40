/** Two onboardings at once on one machine: the second waits. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { type Clock, systemClock } from '../../src/environment/clock.ts';
import { acquireMachineLock } from '../../src/onboarding/machine-lock.ts';
import { onboard } from '../../src/onboarding/onboard.ts';
import { machineStep } from '../../src/onboarding/steps/machine.ts';
import { eventually } from '../eventually.ts';
import { createTestMachine } from './onboarding-machine.ts';

const { platform } = process;

t.test('the second waits until the first has released the lock', async (t) => {
  const name = `vp-test-${randomUUID()}`;
  const events: string[] = [];
  let pauses = 0;
  const clock: Pick<Clock, 'monotonicMs' | 'sleep'> = {
    monotonicMs: systemClock.monotonicMs,
    sleep(delayMs, signal) {
      pauses += 1;
      return systemClock.sleep(delayMs, signal);
    },
  };
  const acquire = () => {
    const { signal } = new AbortController();
    return acquireMachineLock({ platform, clock, signal, name, onWait: () => events.push('waits') });
  };
  const first = await acquire();
  const second = acquire().then((lock) => {
    events.push('acquired');
    return lock;
  });
  await eventually(() => pauses > 1);
  t.same(events, ['waits']);
  first.release();
  (await second).release();
  t.same(events, ['waits', 'acquired']);
});

t.test('an interruption ends the wait, and a lock that is never released is an error', async (t) => {
  const name = `vp-test-${randomUUID()}`;
  const controller = new AbortController();
  const options = { platform, clock: systemClock, signal: controller.signal, name, onWait: () => undefined };
  const held = await acquireMachineLock(options);
  const waiting = acquireMachineLock({ ...options, onWait: () => controller.abort(new Error('interrupted')) });
  await t.rejects(waiting, { message: 'interrupted' });
  let nowMs = 0;
  const sleep = async (): Promise<void> => {
    nowMs += 60_000;
  };
  const clock = { monotonicMs: () => nowMs, sleep };
  const signal = new AbortController().signal;
  await t.rejects(acquireMachineLock({ ...options, clock, signal }), { code: 'MACHINE_BUSY', message: /5 min/ });
  held.release();
});

t.test('an onboarding releases the lock at its end', async (t) => {
  const { run } = await createTestMachine(t);
  const { request, ports } = run();
  const { signal } = new AbortController();
  for (let count = 0; count < 2; count += 1) {
    const end = await onboard({ request, ports, steps: [machineStep], signal, onEvent: () => undefined });
    t.match(end, { kind: 'finished' });
  }
});
