/** The executor and its log reader, inside the target's network. */
import { startComposeProject } from '../../../containers/compose-project.ts';
import { listProjectContainers } from '../../../containers/containers.ts';
import { toInstanceProjectName } from '../../../contract/platform-names.ts';
import { VpError, vpError } from '../../../errors/vp-error.ts';
import { getKitPaths } from '../../kit/kit-paths.ts';
import type { PlatformCallOptions } from '../../platform/platform.ts';
import { actionNeeded, upToDate } from '../../workflow/step.ts';
import type { ComposeContext } from '../compose-context.ts';
import { recordIfNew } from '../new-projects.ts';
import { instanceServices } from '../stacks/instance-stack.ts';
import { listServiceProblems } from '../stacks/stack-files.ts';
import type { ComposeComponent } from './component.ts';

/** `apply` throws INSTANCE_NOT_STARTED (exit code 3): the instance is registered by then. */
export const instanceComponent: ComposeComponent<'instance'> = {
  async inspect({ engine, staleProjects }, { instanceId, port, hasNewConfig }) {
    const projectName = toInstanceProjectName(instanceId);
    const problems = await listServiceProblems(await engine(), projectName, instanceServices);
    if (problems.length > 0) return actionNeeded(problems.join(', '));
    return hasNewConfig || staleProjects.has(projectName)
      ? actionNeeded('its compose file or config changed')
      : upToDate(`${projectName} runs on 127.0.0.1:${port}`);
  },
  async apply(context, { instanceId, port, kit, hasNewConfig }, options) {
    const name = toInstanceProjectName(instanceId);
    await recordIfNew(context, name);
    if (hasNewConfig) await stopExecutor(context, name, options);
    const { report, signal } = options;
    try {
      const project = { name, folder: getKitPaths(kit).compose };
      await startComposeProject(await context.engine(), project, { onLine: report, signal });
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

/** An executor reads its config when it starts, and compose does not see that the volume holds another one. */
async function stopExecutor(
  context: ComposeContext,
  projectName: string,
  { report }: PlatformCallOptions,
): Promise<void> {
  const engine = await context.engine();
  const executors = (await listProjectContainers(engine, projectName)).filter(({ service }) => service === 'executor');
  if (executors.length === 0) return;
  report('stopping the executor, which has the previous config');
  await engine.output(['stop', '--time', '40', ...executors.map(({ id }) => id)], { timeoutMs: 60_000 });
}
