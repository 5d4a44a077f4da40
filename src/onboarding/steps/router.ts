/** The router of this machine, started or joined. */
import { routerProjectName } from '../../contract/platform-names.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import { ensureScrapeKey } from '../machine-keys.ts';
import type { ComponentSpec } from '../platform/platform.ts';
import type { WorkflowStep } from '../workflow/step.ts';

export const routerStep: WorkflowStep<OnboardingContext> = {
  id: 'router',
  title: `router of agents (${routerProjectName})`,
  check: async (context) => context.ports.platform.inspect(await createSpec(context)),
  act: async (context) => context.ports.platform.apply(await createSpec(context), context),
  async undo(context) {
    const instanceId = requireState(context, 'instanceId');
    await context.ports.platform.remove({ scope: 'started', component: 'router', instanceId }, context);
  },
};

async function createSpec(context: OnboardingContext): Promise<ComponentSpec<'router'>> {
  return { component: 'router', image: context.request.image, scrapeKey: await ensureScrapeKey(context) };
}
