/** The files that describe the containers of the instance and of the router. */
import { type OnboardingContext, requireState } from '../context.ts';
import type { ComponentSpec } from '../platform/platform.ts';
import type { WorkflowStep } from '../workflow/step.ts';

export const stackFilesStep: WorkflowStep<OnboardingContext> = {
  id: 'compose-files',
  title: 'compose files',
  check: (context) => context.ports.platform.inspect(createSpec(context)),
  async act(context) {
    const { journal, ports } = context;
    await journal.updateFacts({ executor_port: requireState(context, 'port') });
    return ports.platform.apply(createSpec(context), context);
  },
};

function createSpec(context: OnboardingContext): ComponentSpec<'stack-files'> {
  return {
    component: 'stack-files',
    instanceId: requireState(context, 'instanceId'),
    image: context.request.image,
    port: requireState(context, 'port'),
    target: requireState(context, 'project').deploy ?? { composeProject: '', network: '' },
    endpoint: requireState(context, 'endpoint'),
    kit: requireState(context, 'kit'),
  };
}
