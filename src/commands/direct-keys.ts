/**
 * Keys of the executors of this machine, for `vp run --direct` of the same user: one file per port, there as long as the
 * executor listens. They stand apart from the credentials of control planes, among which nobody should look for them.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Paths } from '../environment/paths.ts';
import { readKeyFile, writeKeyFile } from '../secrets/key-file.ts';

/** Where the key of the executor at `port` is kept: `<config>/direct/<port>.key`. */
export function directKeyFile(paths: Paths, port: number): string {
  return join(paths.config, 'direct', `${port}.key`);
}

/** Keeps `key` for the executor at `port`, mode 0600. Throws STORE_KEY_UNWRITABLE. */
export function writeDirectKey(paths: Paths, port: number, key: string): void {
  const file = directKeyFile(paths, port);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeKeyFile(file, key);
}

/** The key of the executor at `port`; undefined when none of this user listens there. Throws STORE_KEY_EXPOSED, STORE_KEY_UNREADABLE. */
export function directKey(paths: Paths, port: number): string | undefined {
  return readKeyFile(directKeyFile(paths, port));
}

/** Forgets the key of an executor that stops. */
export function forgetDirectKey(paths: Paths, port: number): void {
  rmSync(directKeyFile(paths, port), { force: true });
}
