/** Checks this machine and reports every problem, before anything is changed. */
import type { OnboardingContext } from '../context.ts';
import { createPreflightContext } from '../preflight/context.ts';
import { assertNoErrors, runPreflightChecks } from '../preflight/preflight.ts';
import { upToDate, type WorkflowStep } from '../workflow/step.ts';

/** Later steps report them: that of the config with the names that exist, and that of the target, after everything else is set up. */
const reportedLater = new Set<string>(['TARGET_ABSENT', 'TARGET_STOPPED']);

export const preflightStep: WorkflowStep<OnboardingContext> = {
  id: 'preflight',
  title: 'preflight checks',
  async check({ request, ports, signal, report }) {
    const { productDir, instanceId: instance } = request;
    const onCheck = ({ title }: { readonly title: string }): void => report(title);
    const context = createPreflightContext(
      ports.environment,
      ports.platform,
      { productDir, instance },
      { signal, onCheck },
    );
    const { checks } = await runPreflightChecks(context);
    const problems = checks.flatMap((check) => check.problems).filter(({ code }) => !reportedLater.has(code));
    assertNoErrors(problems);
    for (const { message, cure } of problems) ports.warn(message, cure);
    return upToDate(`${await ports.platform.describeRuntime()}; ports and disk are fine`);
  },
};
