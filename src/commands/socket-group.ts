/** `vp socket-group`: which group a socket belongs to, as the engine sees it. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { command } from './command.ts';
import { systemReason } from './whole-file.ts';

/** The number of the group. Throws SOCKET_PATH_ABSENT. */
function groupOf(path: string): number {
  try {
    const found = statSync(path);
    if (found.isSocket()) return found.gid;
  } catch (error) {
    throw vpError('SOCKET_PATH_ABSENT', { path, reason: systemReason(error) });
  }
  throw vpError('SOCKET_PATH_ABSENT', { path, reason: 'it is something else' });
}

/** The command. */
export const socketGroupCommand = command({
  name: 'socket-group',
  summary: 'for onboarding: print the number of the group that a socket belongs to',
  positionals: [{ name: 'path', describe: 'the socket', required: true }],
  flags: {},
  examples: [['vp socket-group /var/run/docker.sock', '998']],
  notes: 'For `vp onboard`, which runs it in a container: only there is it known who may use the engine’s socket.',
  async run({ words: [path = ''], environment }) {
    environment.streams.stdout.write(`${groupOf(resolve(environment.cwd, path))}\n`);
    return exitCode.done;
  },
});
