/** Whether anything on this machine is in the way: everything that is, before anything is changed. */
import { vpError } from '../../errors/vp-error.ts';
import type { OnboardingContext } from '../context.ts';
import { done, type Step } from '../engine/step.ts';
import { preflightContext } from '../preflight/context.ts';
import { preflight } from '../preflight/preflight.ts';

/** Told better, with what there is instead, by the step that reads the config. */
const toldLater = new Set<string>(['TARGET_ABSENT']);

/** The step. */
export const preflightStep: Step<OnboardingContext> = {
  id: 'preflight',
  title: 'this machine is ready',
  async check({ asked, ports, found, signal, say }) {
    const { productDir, instanceId: instance } = asked;
    const onCheck = ({ title }: { readonly title: string }): void => say(title);
    const context = preflightContext(ports.environment, { productDir, instance }, { signal, onCheck });
    const { checks } = await preflight(context);
    const problems = checks.flatMap((check) => check.problems).filter(({ code }) => !toldLater.has(code));
    const errors = problems.filter(({ severity }) => severity === 'error');
    const count = errors.length === 1 ? '1 thing is' : `${errors.length} things are`;
    if (errors.length > 0) throw vpError('PREFLIGHT_FAILED', { count }, { diagnostics: errors });
    for (const { message, cure } of problems) ports.warn(message, cure);
    found.engine = await ports.engine();
    const { program, version, composeVersion } = found.engine.facts;
    return done(`${program} ${version}, compose ${composeVersion}; ports and disk are fine`);
  },
};
