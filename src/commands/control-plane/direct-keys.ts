/**
 * Keys of the executors of this machine, for `vp run --direct` of the same user: one file per port, which exists while the
 * executor listens. They are not among the credentials for control planes, so that error messages do not list them there.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { UserPaths } from '../../environment/paths.ts';
import { readKeyFile, writeKeyFile } from '../../secrets/key-file.ts';

/** The key file of the executor at `port`: `<config>/direct/<port>.key`. */
export function directRunKeyFile(paths: UserPaths, port: number): string {
  return join(paths.config, 'direct', `${port}.key`);
}

/** Writes the file with mode 0600. Throws STORE_KEY_UNWRITABLE. */
export function writeDirectRunKey(paths: UserPaths, port: number, key: string): void {
  const file = directRunKeyFile(paths, port);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeKeyFile(file, key);
}

/** Undefined if no executor of this user listens on `port`. Throws STORE_KEY_EXPOSED, STORE_KEY_UNREADABLE. */
export function readDirectRunKey(paths: UserPaths, port: number): string | undefined {
  return readKeyFile(directRunKeyFile(paths, port));
}

export function removeDirectRunKey(paths: UserPaths, port: number): void {
  rmSync(directRunKeyFile(paths, port), { force: true });
}
