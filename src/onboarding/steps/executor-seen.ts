/** Whether the control plane sees the executor. */
import type { Instance } from '../../contract/api.ts';
import { known, type OnboardingContext } from '../context.ts';
import { done, type Step, todo } from '../engine/step.ts';

const patienceMs = 60_000;
const pauseMs = 500;

/** What the specification says of exit code 3. */
export const notReadyCure = 'do not tear down; wait a few minutes and check Settings → Environments';

function isSeen({ found }: OnboardingContext, { executor_status, last_seen_at }: Instance): boolean {
  // Right after a start, what was seen of the executor before is not yet the new one.
  return executor_status === 'REGISTERED' && (!found.isStarted || last_seen_at !== found.seenBefore);
}

/** The step. */
export const executorSeenStep: Step<OnboardingContext> = {
  id: 'executor-seen',
  title: 'executor seen by the control plane',
  async check(context) {
    const instance = await asked(context);
    if (!isSeen(context, instance)) return todo(`executor ${instance.executor_status}`);
    context.found.isSeen = true;
    return done(`executor ${instance.executor_status}`);
  },
  async act(context) {
    const { ports, found, signal, say } = context;
    const { clock } = ports.environment;
    const endMs = clock.monotonicMs() + patienceMs;
    for (;;) {
      const instance = await asked(context);
      if (isSeen(context, instance)) {
        found.isSeen = true;
        return { detail: `executor ${instance.executor_status}` };
      }
      say(`executor ${instance.executor_status}`);
      if (clock.monotonicMs() >= endMs) {
        const reason = `the executor of ${instance.instance_id} has not reported to the control plane within ${patienceMs / 1000} s`;
        return { detail: reason, shortfall: { reason, cure: notReadyCure, passes: true } };
      }
      await clock.sleep(pauseMs, signal);
    }
  },
};

async function asked(context: OnboardingContext): Promise<Instance> {
  const { signal, found } = context;
  const instance = await known(context, 'client').instances.get(known(context, 'instanceId'), { signal });
  found.instance = instance;
  return instance;
}
