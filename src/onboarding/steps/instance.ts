/** The executor and its log reader, inside the target's network. */
import { type OnboardingContext, requireState } from '../context.ts';
import type { ComponentSpec } from '../platform/platform.ts';
import type { WorkflowStep } from '../workflow/step.ts';

/** Throws INSTANCE_NOT_STARTED (exit code 3): the instance is registered by now. */
export const instanceStep: WorkflowStep<OnboardingContext> = {
  id: 'instance',
  title: 'executor and log reader',
  check: (context) => context.ports.platform.inspect(createSpec(context)),
  async act(context) {
    const { journal, ports, signal, state } = context;
    const instanceId = requireState(context, 'instanceId');
    state.previousLastSeenAt = (
      await requireState(context, 'client').instances.get(instanceId, { signal })
    ).last_seen_at;
    const { detail } = await ports.platform.apply(createSpec(context), context);
    state.isInstanceStarted = true;
    await journal.updateFacts({ started_hash: journal.facts?.config_hash });
    return { detail };
  },
  async undo(context) {
    const instanceId = requireState(context, 'instanceId');
    await context.ports.platform.remove({ scope: 'started', component: 'instance', instanceId }, context);
  },
};

function createSpec(context: OnboardingContext): ComponentSpec<'instance'> {
  const { journal, state } = context;
  const { started_hash: startedHash, config_hash: configHash } = journal.facts ?? {};
  return {
    component: 'instance',
    instanceId: requireState(context, 'instanceId'),
    port: requireState(context, 'port'),
    kit: requireState(context, 'kit'),
    target: requireState(context, 'project').deploy ?? { composeProject: '', network: '' },
    hasNewConfig: state.isConfigWritten === true || startedHash !== configHash,
  };
}
