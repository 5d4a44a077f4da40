/** Waits until the executor reports to the control plane. */
import type { Instance } from '../../contract/api.ts';
import { pollUntil } from '../../timing/poll.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';

const onlineTimeoutMs = 60_000;
const pollIntervalMs = 500;

/** The specification's text for exit code 3. */
export const notReadyFix = 'do not tear down; wait a few minutes and check Settings → Environments';

function isOnline({ state }: OnboardingContext, { executor_status, last_seen_at }: Instance): boolean {
  // Right after a start, the status may still be that of the previous executor.
  return executor_status === 'REGISTERED' && (!state.isInstanceStarted || last_seen_at !== state.previousLastSeenAt);
}

export const executorOnlineStep: WorkflowStep<OnboardingContext> = {
  id: 'executor-seen',
  title: 'executor seen by the control plane',
  async check(context) {
    const instance = await fetchInstance(context);
    if (!isOnline(context, instance)) return actionNeeded(`executor ${instance.executor_status}`);
    context.state.isExecutorOnline = true;
    return upToDate(`executor ${instance.executor_status}`);
  },
  async act(context) {
    const { ports, state, signal, report } = context;
    const { clock } = ports.environment;
    const detail = (instance: Instance): string => `executor ${instance.executor_status}`;
    const onPause = (instance: Instance): void => report(detail(instance));
    const instance = await pollUntil(
      { clock, pauseMs: pollIntervalMs, timeoutMs: onlineTimeoutMs, signal, onPause },
      () => fetchInstance(context),
      (instance) => isOnline(context, instance),
    );
    if (isOnline(context, instance)) {
      state.isExecutorOnline = true;
      return { detail: detail(instance) };
    }
    const reason = `the executor of ${instance.instance_id} has not reported to the control plane within ${onlineTimeoutMs / 1000} s`;
    return { detail: reason, shortfall: { reason, cure: notReadyFix, passes: true } };
  },
};

async function fetchInstance(context: OnboardingContext): Promise<Instance> {
  const { signal, state } = context;
  const instance = await requireState(context, 'client').instances.get(requireState(context, 'instanceId'), { signal });
  state.instance = instance;
  return instance;
}
