/** What all instances of this machine share. It is removed with the last one, except the dashboard and its history. */
import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { routerProjectName } from '../../contract/platform-names.ts';
import { removeIfEmpty } from '../kit/kit-paths.ts';
import { getScrapeKeyPath } from '../machine-keys.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';
import type { TeardownContext } from './context.ts';

export const lastInstanceStep: WorkflowStep<TeardownContext> = {
  id: 'shared',
  title: `router of agents (${routerProjectName})`,
  async check({ request: { instanceId }, ports, retained, state }) {
    const plan = await ports.platform.planRemoval({ scope: 'shared', instanceId });
    retained.push(...plan.retained);
    state.usedBy = plan.usedBy;
    if (plan.usedBy.length > 0) return upToDate(`kept: they serve ${plan.usedBy.join(', ')}`);
    const folder = await stat(dirname(getScrapeKeyPath(ports.environment.paths))).catch(() => undefined);
    return plan.containers.length > 0 || folder ? actionNeeded('the last instance goes') : upToDate('none here');
  },
  async act(context) {
    const { ports, removed, request } = context;
    const scope = { scope: 'shared', instanceId: request.instanceId } as const;
    const { containers, volumes } = await ports.platform.remove(scope, context);
    const keyFile = getScrapeKeyPath(ports.environment.paths);
    await rm(keyFile, { force: true });
    await removeIfEmpty(dirname(keyFile));
    removed.push(...containers.map((name) => `container ${name}`), ...volumes.map((name) => `volume ${name}`));
    removed.push(`files in ${dirname(keyFile)}`);
    return { detail: 'removed with the last instance' };
  },
};
