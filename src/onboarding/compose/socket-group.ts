/** The group that may use the engine's socket. It is read in a container, because the engine may run in a virtual machine. */
import type { ContainerEngine } from '../../containers/engine.ts';
import { runOneOffContainer } from '../../containers/one-off-container.ts';
import { vpError } from '../../errors/vp-error.ts';

/** Returns the group id. Throws ENGINE_*, ENGINE_SOCKET_ABSENT. */
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
