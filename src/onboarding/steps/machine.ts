/** Waits until no other onboarding runs on this machine; held until the end of this one. */
import type { OnboardingContext } from '../context.ts';
import { acquireMachineLock } from '../machine-lock.ts';
import { upToDate, type WorkflowStep } from '../workflow/step.ts';

/** Comes after the sign-in, which may wait for a person. */
export const machineStep: WorkflowStep<OnboardingContext> = {
  id: 'machine',
  title: 'no other onboarding on this machine',
  async check({ ports, signal, state, report }) {
    const { platform, clock } = ports.environment;
    const onWait = (): void => report('waiting for another onboarding on this machine to end');
    state.machineLock ??= await acquireMachineLock({ platform, clock, signal, onWait });
    return upToDate('none');
  },
};
