import type { ListenerLog } from '../../src/http/log.ts';

export type LogLine = { readonly fields: Readonly<Record<string, unknown>>; readonly message: string };

/** A log that stores its lines. */
export function createMemoryLog(): { log: ListenerLog; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const addLine = (fields: LogLine['fields'], message: string): void => {
    lines.push({ fields, message });
  };
  return { log: { error: addLine, warn: addLine }, lines };
}
