/** Dashboard and metrics store of this machine, started or joined. */
import { observabilityProjectName } from '../../contract/platform-names.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import { ensureScrapeKey } from '../machine-keys.ts';
import type { ComponentSpec } from '../platform/platform.ts';
import type { WorkflowStep } from '../workflow/step.ts';

/** Everything else works without the dashboard: its failure makes the outcome partial. */
export const observabilityStep: WorkflowStep<OnboardingContext> = {
  id: 'observability',
  title: `dashboard and metrics (${observabilityProjectName})`,
  async check(context) {
    const finding = await context.ports.platform.inspect(await createSpec(context));
    if (finding.state === 'done') context.state.dashboard = 'up';
    return finding;
  },
  async act(context) {
    const { ports, state } = context;
    state.dashboard = 'down';
    const { detail, failure } = await ports.platform.apply(await createSpec(context), context);
    if (!failure) {
      state.dashboard = 'up';
      return { detail };
    }
    const reason = `the dashboard is not set up: ${failure.message}`;
    return { detail: reason, shortfall: { reason, cure: failure.cure, passes: false } };
  },
  async undo(context) {
    const instanceId = requireState(context, 'instanceId');
    await context.ports.platform.remove({ scope: 'started', component: 'observability', instanceId }, context);
  },
};

async function createSpec(context: OnboardingContext): Promise<ComponentSpec<'observability'>> {
  return {
    component: 'observability',
    image: context.request.image,
    endpoint: requireState(context, 'endpoint'),
    instanceId: requireState(context, 'instanceId'),
    dashboardUrl: context.state.project?.dashboardUrl,
    scrapeKey: await ensureScrapeKey(context),
  };
}
