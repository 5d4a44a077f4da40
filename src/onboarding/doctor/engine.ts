import { checkSkipped, collectFindings } from '../checks/setup-check.ts';
import { runtimeCheck } from '../preflight/platform-checks.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';

/** The container engine answers, unless the executor calls and this user has onboarded nothing here: then nothing needs it. */
export const engineCheck: DoctorCheck = {
  ...runtimeCheck,
  async inspect(context) {
    const findings = await collectFindings((checked: DoctorContext) => runtimeCheck.inspect(checked), context);
    const { registered, onboarded } = context.state;
    const isNeeded = registered?.executor_status !== 'REGISTERED' || onboarded !== undefined;
    if (isNeeded || findings.problems.length === 0) return findings;
    return checkSkipped('none can be used on this machine; the executor of this instance runs without it');
  },
};
