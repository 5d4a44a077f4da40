import type { Log } from '../../src/http/log.ts';

/** What was told to a log. */
export type Logged = { readonly fields: Readonly<Record<string, unknown>>; readonly message: string };

/** A log that keeps what it is told. */
export function keptLog(): { log: Log; lines: Logged[] } {
  const lines: Logged[] = [];
  const keep = (fields: Logged['fields'], message: string): void => {
    lines.push({ fields, message });
  };
  return { log: { error: keep, warn: keep }, lines };
}
