/** `vp socket-group`: the group of a socket, as containers see it. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatSystemErrorCode } from '../output-file.ts';

/** Throws SOCKET_PATH_ABSENT. */
function readGroupId(path: string): number {
  try {
    const stats = statSync(path);
    if (stats.isSocket()) return stats.gid;
  } catch (error) {
    throw vpError('SOCKET_PATH_ABSENT', { path, reason: formatSystemErrorCode(error) });
  }
  throw vpError('SOCKET_PATH_ABSENT', { path, reason: 'it is not a socket' });
}

export const socketGroupCommand = command({
  name: 'socket-group',
  summary: 'for onboarding: print the group id of a socket',
  positionals: [{ name: 'path', describe: 'the socket', required: true }],
  flags: {},
  examples: [['vp socket-group /var/run/docker.sock', '998']],
  notes: 'For `vp onboard`, which runs it in a container, where the group of the engine’s socket may differ.',
  async run({ args: [path = ''], environment }) {
    environment.streams.stdout.write(`${readGroupId(resolve(environment.cwd, path))}\n`);
    return exitCode.done;
  },
});
