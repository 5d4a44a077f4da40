import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';

/** The packed binary of this machine. */
export const packedFile = resolve(process.platform === 'win32' ? 'dist/vp.exe' : 'dist/vp');

/** Runs the packed binary to its end, with no other variables than those given. */
export function runPacked(args: readonly string[], variables: Record<string, string> = {}, cwd?: string) {
  accessSync(packedFile, constants.X_OK);
  const { status, signal, stdout, stderr } = spawnSync(packedFile, args, {
    env: variables,
    encoding: 'utf8',
    timeout: 30_000,
    ...(cwd === undefined ? {} : { cwd }),
  });
  return { status, signal, stdout, stderr };
}
