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
    const isAbsent = findings.problems.some(({ code }) => code === 'ENGINE_ABSENT' || code === 'ENGINE_STOPPED');
    if (isNeeded || !isAbsent) return findings;
    return checkSkipped('none answers on this machine; the executor of this instance calls without it');
  },
};
