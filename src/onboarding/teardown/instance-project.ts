/** The containers and volumes of the executor. They hold a copy of the secrets. */
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';
import type { TeardownContext } from './context.ts';

export const instanceProjectStep: WorkflowStep<TeardownContext> = {
  id: 'executor-project',
  title: 'containers and volumes of the executor',
  async check({ request: { instanceId }, ports }) {
    const { containers, volumes } = await ports.platform.planRemoval({ scope: 'instance', instanceId });
    if (containers.length + volumes.length === 0) return upToDate('none here');
    return actionNeeded(`${containers.length} containers, ${volumes.length} volumes`);
  },
  async act(context) {
    const { ports, removed, request } = context;
    const scope = { scope: 'instance', instanceId: request.instanceId } as const;
    const { containers, volumes } = await ports.platform.remove(scope, context);
    const remaining = await ports.platform.planRemoval(scope);
    const remainingNames = [...remaining.containers, ...remaining.volumes];
    const isRemoved = (name: string): boolean => !remainingNames.includes(name);
    removed.push(...containers.filter(isRemoved).map((name) => `container ${name}`));
    removed.push(...volumes.filter(isRemoved).map((name) => `volume ${name}`));
    if (remainingNames.length > 0) {
      const reason = `still there: ${remainingNames.join(', ')}`;
      const cure = `run \`vp teardown --instance-id ${request.instanceId}\` again`;
      return { detail: reason, shortfall: { reason, cure, passes: false } };
    }
    return { detail: `removed ${containers.length} containers and ${volumes.length} volumes` };
  },
};
