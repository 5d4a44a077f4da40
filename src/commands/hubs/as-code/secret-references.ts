/**
 * Reads secrets that a hub's file refers to, where the command runs. They go into the body of one request and nowhere else: not into
 * arguments, messages, logs or files.
 */
import { dirname, resolve } from 'node:path';
import type { Environment } from '../../../environment/environment.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { runProcess } from '../../../process/run-process.ts';
import { readKeyFile } from '../../../secrets/key-file.ts';
import { parseCommand } from './file-rules.ts';

export type SecretReader = (connection: string, reference: string) => Promise<string>;

const commandTimeoutMs = 60_000;

/**
 * `hubFile` is the file with the references, whose folder files and commands are relative to. The reader throws
 * HUB_SECRET_UNREADABLE and STORE_KEY_*.
 */
export function createSecretReader(
  { variables, cwd }: Pick<Environment, 'variables' | 'cwd'>,
  hubFile: string,
  allowsCommands: boolean,
): SecretReader {
  const folder = dirname(resolve(cwd, hubFile));
  return async (connection, reference) => {
    const [, source = '', name = ''] = /^(env|file|command):(.*)$/s.exec(reference) ?? [];
    const refuse = (problem: string): never => {
      // The words of a command may be confidential.
      const named = source === 'command' ? 'command:…' : reference;
      throw vpError('HUB_SECRET_UNREADABLE', { connection, reference: named, problem });
    };
    if (source === 'env') return variables[name]?.trim() || refuse('is not set');
    if (source === 'file') return readKeyFile(resolve(folder, name)) || refuse('is missing or empty');
    if (!allowsCommands) return refuse('runs a program, which needs --allow-commands');
    const [program, ...args] = parseCommand(reference) ?? refuse('is not a program with arguments');
    const result = await runProcess(program, args, { variables, cwd: folder, timeoutMs: commandTimeoutMs });
    if (result.kind !== 'exited') return refuse(`did not run to its end (${result.kind.replaceAll('_', ' ')})`);
    if (result.exitCode !== 0) return refuse(`ended with exit code ${result.exitCode}`);
    return result.stdout.trim() || refuse('printed nothing');
  };
}
