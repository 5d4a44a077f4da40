/** Prints a link on a terminal, else writes it to a file that only this user can read. */

import type { FlagDefinitions, Invocation } from '../../command-line/command.ts';
import { writeKeyFile } from '../../secrets/key-file.ts';

/** Exactly one of the two is set. */
export type DeliveredLink = { readonly url: string | null; readonly file: string | null };

/** Writes to `file` unless standard output is a terminal, because output of services ends up in logs. */
export function deliverLink(
  { json, environment }: Pick<Invocation<FlagDefinitions>, 'json' | 'environment'>,
  url: string,
  file: string,
): DeliveredLink {
  if (!json && environment.streams.stdout.isTTY) return { url, file: null };
  writeKeyFile(file, url);
  return { url: null, file };
}

export function formatLink({ url, file }: DeliveredLink): string {
  return url === null ? `the link in ${file} (valid for 30 minutes, once)` : `${url} (valid for 30 minutes, once)`;
}
