/** The executor and its log reader, inside the target's network. */
import { startComposeProject } from '../../../containers/compose-project.ts';
import { listProjectContainers } from '../../../containers/containers.ts';
import { toInstanceProjectName } from '../../../contract/platform-names.ts';
import { VpError, vpError } from '../../../errors/vp-error.ts';
import { getKitPaths } from '../../kit/kit-paths.ts';
import type { ComponentSpec } from '../../platform/platform.ts';
import { actionNeeded, upToDate } from '../../workflow/step.ts';
import type { ComposeContext } from '../compose-context.ts';
import { listMissedNetworks } from '../diagnosis/networks.ts';
import { recordIfNew } from '../new-projects.ts';
import { instanceRoles } from '../stacks/instance-stack.ts';
import { sharedNetwork } from '../stacks/stack.ts';
import { findRoleContainer, listRoleProblems } from '../stacks/stack-files.ts';
import type { ComposeComponent } from './component.ts';

type InstanceSpec = ComponentSpec<'instance'>;

/** `apply` throws INSTANCE_NOT_STARTED (exit code 3): the instance is registered by then. */
export const instanceComponent: ComposeComponent<'instance'> = {
  async inspect(context, spec) {
    const { instanceId, port, hasNewConfig } = spec;
    const projectName = toInstanceProjectName(instanceId);
    const problems = await listProblems(context, spec);
    if (problems.length > 0) return actionNeeded(problems.join(', '));
    return hasNewConfig || context.staleProjects.has(projectName)
      ? actionNeeded('its compose file or config changed')
      : upToDate(`${projectName} runs on 127.0.0.1:${port}`);
  },
  async apply(context, spec, { report, signal }) {
    const { instanceId, port, kit, hasNewConfig } = spec;
    const name = toInstanceProjectName(instanceId);
    await recordIfNew(context, name);
    // Compose sees neither another config in the volume nor another network of the same name. Stopping the executor before would
    // be no help: right after a stop, about once in 28 times, compose still takes a container for running and leaves it.
    const recreate = hasNewConfig || (await listNetworkProblems(context, spec)).length > 0;
    try {
      const project = { name, folder: getKitPaths(kit).compose };
      await startComposeProject(await context.engine(), project, { onLine: report, signal, recreate });
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof VpError
        ? vpError('INSTANCE_NOT_STARTED', { instance: instanceId, reason: error.message })
        : error;
    }
    signal.throwIfAborted();
    return { detail: `${name} started on 127.0.0.1:${port}` };
  },
};

async function listProblems(context: ComposeContext, spec: InstanceSpec): Promise<string[]> {
  const containers = await listProjectContainers(await context.engine(), toInstanceProjectName(spec.instanceId));
  return [...listRoleProblems(containers, instanceRoles), ...(await listNetworkProblems(context, spec))];
}

async function listNetworkProblems(context: ComposeContext, { instanceId, target }: InstanceSpec): Promise<string[]> {
  const engine = await context.engine();
  const containers = await listProjectContainers(engine, toInstanceProjectName(instanceId));
  const executor = findRoleContainer(containers, 'executor');
  if (!executor) return [];
  const missed = await listMissedNetworks(engine, executor.id, [target.network, sharedNetwork]);
  return missed.map((network) => `executor is not in the network ${network} as it is now`);
}
