import { isSea } from 'node:sea';

/** The program that runs, as one file for one platform. `platform` is named as the builds are: `linux-x64`, `darwin-arm64`. */
export type RunningBinary = { readonly file: string; readonly platform: string };

/** The program that runs; undefined where it is run from the sources. */
export function findRunningBinary(): RunningBinary | undefined {
  if (!isSea()) return undefined;
  const system = process.platform === 'win32' ? 'win' : process.platform;
  return { file: process.execPath, platform: `${system}-${process.arch}` };
}
