/** Where the log of the application is. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { assertLogReadable } from '../assert-log-readable.ts';
import type { Questions } from './questions.ts';

const logFolders = ['.', 'logs', 'log'];

/** Throws FLAG_INVALID. */
export function assertLogFlag(log: string | undefined, command: string, environment: Pick<Environment, 'cwd'>): void {
  if (log === '-')
    throw vpError('FLAG_INVALID', { command, flag: '--log', problem: 'must be a file or unix:<socket>' });
  assertLogReadable(log, command, environment);
}

/** Undefined without a log. */
export async function askForLog(
  questions: Questions | undefined,
  { cwd }: Pick<Environment, 'cwd'>,
): Promise<string | undefined> {
  if (!questions) return undefined;
  const none = 'none';
  const [newest] = listLogFiles(cwd);
  const hint = 'a file to which the application writes; Enter takes the answer shown';
  const validate = (text: string): string | undefined => (text === none ? undefined : findLogProblem(text, cwd));
  const answer = await questions.text({ label: 'Where is its log?', initial: newest ?? none, hint, validate });
  return answer === none || answer === '' ? undefined : answer;
}

function findLogProblem(file: string, cwd: string): string | undefined {
  if (file.startsWith('unix:')) return undefined;
  const stats = statSync(resolve(cwd, file), { throwIfNoEntry: false });
  if (!stats) return 'there is no such file; write `none` to go on without a log';
  return stats.isFile() ? undefined : 'it is not a file';
}

/** The most recently written first. */
function listLogFiles(cwd: string): string[] {
  const files = logFolders.flatMap((folder) => {
    try {
      const names = readdirSync(join(cwd, folder)).filter((name) => name.endsWith('.log'));
      return names.map((name) => join(folder, name));
    } catch {
      return [];
    }
  });
  const times = new Map(files.map((file) => [file, statSync(resolve(cwd, file)).mtimeMs]));
  return files.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
}
