/** The log of a role: JSON lines on standard error. */
import type { TextSink } from '../environment/environment.ts';

type Line = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Writes a line per call; private details of errors belong here and nowhere else. */
export type ProcessLog = { readonly error: Line; readonly warn: Line; readonly info: Line; readonly debug: Line };

/** A log at `level` and above. pino is loaded here: commands that log nothing must not pay for it. */
export async function openLog(role: string, level: string, sink: TextSink): Promise<ProcessLog> {
  const { pino } = await import('pino');
  const settings = { level, base: { role }, serializers: { err: errorFields } };
  const logger = pino(settings, { write: (line: string) => void sink.write(line) });
  const line =
    (method: keyof ProcessLog): Line =>
    (fields, message) =>
      logger[method](fields, message);
  return { error: line('error'), warn: line('warn'), info: line('info'), debug: line('debug') };
}

/** What an error says, with its own words first; pino's own form would drop our `detail`. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  return { message: error.message, code, detail, stack: error.stack };
}
