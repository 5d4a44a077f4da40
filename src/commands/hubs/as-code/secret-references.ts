/**
 * Reads secrets that a hub's file refers to, where the command runs. They go into the body of one request and nowhere else: not into
 * arguments, messages, logs or files.
 */
import { type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Environment } from '../../../environment/environment.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { getSystemErrorCode } from '../../../files/system-error.ts';
import { runProcess } from '../../../process/run-process.ts';
import { readKeyFile } from '../../../secrets/key-file.ts';
import { parseCommand } from './file-rules.ts';

export type SecretReader = (connection: string, reference: string) => Promise<string>;

const commandTimeoutMs = 60_000;
const maxFileBytes = 65_536;

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
    if (source === 'env') return readVariable(variables, name)?.trim() || refuse('is not set');
    if (source === 'file') {
      const file = resolve(folder, name);
      const problem = findFileProblem(file);
      return problem === undefined ? readKeyFile(file) || refuse('is empty') : refuse(problem);
    }
    if (!allowsCommands) return refuse('runs a program, which needs --allow-commands');
    const [program, ...args] = parseCommand(reference) ?? refuse('is not a program with arguments');
    const result = await runProcess(program, args, { variables, cwd: folder, timeoutMs: commandTimeoutMs });
    if (result.kind !== 'exited') return refuse(`did not run to its end (${result.kind.replaceAll('_', ' ')})`);
    if (result.exitCode !== 0) return refuse(`ended with exit code ${result.exitCode}`);
    return result.stdout.trim() || refuse('printed nothing');
  };
}

/** Names such as `constructor` are no variables. */
function readVariable(variables: Environment['variables'], name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/** A pipe that nobody writes to would be read for ever, and a device without an end: who wrote the hub's file chose the name. */
function findFileProblem(file: string): string | undefined {
  const stats = readStats(file);
  if (!stats) return 'is missing';
  if (typeof stats === 'string') return `cannot be read (${stats})`;
  if (!stats.isFile()) return 'is not a regular file';
  return stats.size > maxFileBytes ? `is larger than ${maxFileBytes / 1024} KiB` : undefined;
}

function readStats(file: string): Stats | string | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    const reason = getSystemErrorCode(error);
    if (reason === undefined) throw error;
    return reason;
  }
}
