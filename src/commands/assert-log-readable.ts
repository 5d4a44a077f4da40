/** The file or socket that `--log` names, checked before a request is sent. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { vpError } from '../errors/vp-error.ts';
import { describeSystemError } from '../logs/log-unavailable.ts';

/**
 * A log that is named and cannot be read would pass as one without lines. `-` is standard input. Throws FLAG_INVALID. Roles do not
 * call this: they may start before their target creates the file.
 */
export function assertLogReadable(log: string | undefined, command: string, { cwd }: Pick<Environment, 'cwd'>): void {
  if (log === undefined || log === '-') return;
  const problem = findLogProblem(log, cwd);
  if (problem !== undefined) throw vpError('FLAG_INVALID', { command, flag: '--log', problem });
}

function findLogProblem(log: string, cwd: string): string | undefined {
  const socket = /^unix:(?:\/\/)?(.*)$/s.exec(log)?.[1];
  const name = socket ?? log;
  // What is no path at all is refused where the source is opened.
  if (name.trim() === '' || name.includes('\0') || /^[a-z][a-z0-9+.-]*:\/\//i.test(name)) return undefined;
  const path = resolve(cwd, name);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (socket !== undefined) return stats ? undefined : `names the socket ${socket}, and there is none`;
  if (!stats)
    return `names ${log}, and there is no such file; if the application creates it with its first line, create it empty`;
  if (stats.isDirectory()) return `names ${log}, which is a folder`;
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return `names ${log}, which cannot be read: ${describeSystemError(error)}`;
  }
}
