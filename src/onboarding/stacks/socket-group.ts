/** Which group may use the engine's socket. Only inside the engine is that known: it may be a virtual machine. */
import type { Engine } from '../../containers/engine.ts';
import { runOnce } from '../../containers/one-shot.ts';
import { vpError } from '../../errors/vp-error.ts';

/** The number of the group. Throws ENGINE_*, ENGINE_SOCKET_ABSENT. */
export async function socketGroupOf(engine: Engine, image: string, signal?: AbortSignal): Promise<number> {
  const { socketFile, selinux } = engine.facts;
  const inside = '/run/engine.sock';
  const end = await runOnce(engine, {
    image,
    words: ['socket-group', inside],
    network: 'none',
    mounts: [`${socketFile}:${inside}`],
    selinuxOff: selinux,
    signal,
  });
  const group = /^(\d+)\n?$/.exec(end.stdout)?.[1];
  if (end.exitCode === 0 && group !== undefined) return Number(group);
  const reason = end.stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  throw vpError('ENGINE_SOCKET_ABSENT', { path: socketFile, reason: reason || 'no group was told' });
}
