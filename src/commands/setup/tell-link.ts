/** Hands the setup link to whoever started us: on their terminal, else in a file that only they can read. */
import { writeKeyFile } from '../../secrets/key-file.ts';
import type { Flags, Invocation } from '../command.ts';

/** Where the link went; exactly one of the two is set. */
export type ToldLink = { readonly url: string | null; readonly file: string | null };

/** Writes to `file` unless people read what is printed: output of services ends up in logs. */
export function handOver(
  { json, environment }: Pick<Invocation<Flags>, 'json' | 'environment'>,
  url: string,
  file: string,
): ToldLink {
  if (!json && environment.streams.stdout.isTTY) return { url, file: null };
  writeKeyFile(file, url);
  return { url: null, file };
}

/** What to do with it, in words. */
export function linkText({ url, file }: ToldLink): string {
  return url === null ? `the link in ${file} (good for 30 minutes, once)` : `${url} (good for 30 minutes, once)`;
}
