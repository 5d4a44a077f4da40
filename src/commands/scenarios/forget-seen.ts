/** Forgets which revisions of an instance's catalogue this user's files were, when the instance goes. */
import { rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { seenFile } from './seen.ts';

/** The file, and the folders around it as they become empty. */
export function forgetSeen({ paths }: Pick<Environment, 'paths'>, url: string, instance: string): void {
  const file = seenFile(paths, url, instance);
  rmSync(file, { force: true });
  try {
    rmdirSync(dirname(file));
    rmdirSync(dirname(dirname(file)));
  } catch {
    // Other instances have files there.
  }
}
