import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { isSea } from 'node:sea';
import type { Environment } from './environment.ts';

/** The program that runs, as one file for one platform. `platform` is named as the builds are: `linux-x64`, `darwin-arm64`. */
export type RunningBinary = { readonly file: string; readonly platform: string };

/** The program that runs; undefined where it is run from the sources. */
export function findRunningBinary(): RunningBinary | undefined {
  if (!isSea()) return undefined;
  const system = process.platform === 'win32' ? 'win' : process.platform;
  return { file: process.execPath, platform: `${system}-${process.arch}` };
}

type ShellEnvironment = Pick<Environment, 'variables' | 'cwd' | 'platform'>;

function isOnPath({ variables, cwd, platform }: ShellEnvironment): boolean {
  const name = platform === 'win32' ? 'vp.exe' : 'vp';
  const folders = (variables.PATH ?? '').split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder || cwd, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** What to type for this program in the present folder: `vp`, or where no folder of PATH has one its path. */
export function nameProgram(
  environment: ShellEnvironment,
  binary: Pick<RunningBinary, 'file'> | undefined = findRunningBinary(),
): string {
  if (binary === undefined || isOnPath(environment)) return 'vp';
  const path = relative(environment.cwd, binary.file);
  if (path.startsWith('..') || isAbsolute(path)) return binary.file;
  return /[/\\]/.test(path) ? path : `./${path}`;
}
