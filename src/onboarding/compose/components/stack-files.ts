/** The compose files of the instance and of the router. The target's own compose file is never touched. */

import type { ContainerEngine } from '../../../containers/engine.ts';
import { runOneOffContainer } from '../../../containers/one-off-container.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { getKitPaths, getSharedStackFolder } from '../../kit/kit-paths.ts';
import type { ComponentSpec } from '../../platform/platform.ts';
import { actionNeeded, upToDate } from '../../workflow/step.ts';
import type { ComposeContext } from '../compose-context.ts';
import { buildInstanceStack } from '../stacks/instance-stack.ts';
import { buildRouterStack } from '../stacks/router-stack.ts';
import { type ComposeStack, supportsStartInterval } from '../stacks/stack.ts';
import { listStaleFiles, writeStackFiles } from '../stacks/stack-files.ts';
import type { ComposeComponent } from './component.ts';

type StackFolder = { readonly stack: ComposeStack; readonly folder: string };

export const stackFilesComponent: ComposeComponent<'stack-files'> = {
  async inspect(context, spec) {
    const stale: string[] = [];
    for (const { stack, folder } of await buildStacks(context, spec)) {
      const files = await listStaleFiles(stack, folder);
      stale.push(...files.map((file) => `${file} of ${stack.name}`));
    }
    return stale.length === 0 ? upToDate('up to date') : actionNeeded(`to be written: ${stale.join(', ')}`);
  },
  async apply(context, spec) {
    for (const { stack, folder } of await buildStacks(context, spec)) {
      const isStale = (await listStaleFiles(stack, folder)).length > 0;
      if (isStale) context.staleProjects.add(stack.name);
      await writeStackFiles(stack, folder, context.environment.random);
    }
    return { detail: `written to ${getKitPaths(spec.kit).compose}` };
  },
};

async function buildStacks(
  context: ComposeContext,
  spec: ComponentSpec<'stack-files'>,
): Promise<readonly StackFolder[]> {
  const { instanceId, image, port, target, endpoint, kit } = spec;
  const engine = await context.engine();
  const startInterval = supportsStartInterval(engine.info);
  context.socketGroup ??= await readSocketGroup(engine, image, context.signal);
  const instance = buildInstanceStack({
    ...{ instanceId, image, port, startInterval, controlPlane: endpoint, selinux: engine.info.selinux },
    ...{ network: target.network, composeProject: target.composeProject },
    ...{ engineSocket: engine.info.socketFile, socketGroup: context.socketGroup },
  });
  // One router serves all instances: it runs the image of the latest onboarding.
  const router = buildRouterStack({ image, startInterval, scraped: true });
  return [
    { stack: instance, folder: getKitPaths(kit).compose },
    { stack: router, folder: getSharedStackFolder(context.environment.paths, 'router') },
  ];
}

/**
 * Returns the id of the group that may use the engine's socket. It is read in a container, because the engine may run in a
 * virtual machine. Throws ENGINE_*, ENGINE_SOCKET_ABSENT.
 */
export async function readSocketGroup(engine: ContainerEngine, image: string, signal?: AbortSignal): Promise<number> {
  const { socketFile, selinux } = engine.info;
  const socketPath = '/run/engine.sock';
  const result = await runOneOffContainer(engine, {
    image,
    args: ['socket-group', socketPath],
    network: 'none',
    mounts: [`${socketFile}:${socketPath}`],
    selinuxOff: selinux,
    signal,
  });
  const group = /^(\d+)\n?$/.exec(result.stdout)?.[1];
  if (result.exitCode === 0 && group !== undefined) return Number(group);
  const reason = result.stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  throw vpError('ENGINE_SOCKET_ABSENT', { path: socketFile, reason: reason || 'no group was printed' });
}
