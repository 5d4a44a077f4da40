/** The log of a role: JSON lines on standard error. */
import type { TextSink } from '../environment/environment.ts';

type LogMethod = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Writes a line per call; the only place for private details of errors. */
export type ProcessLog = {
  readonly error: LogMethod;
  readonly warn: LogMethod;
  readonly info: LogMethod;
  readonly debug: LogMethod;
};

/** A log at `level` and above. pino is loaded here: commands that log nothing must not pay for it. */
export async function openProcessLog(role: string, level: string, sink: TextSink): Promise<ProcessLog> {
  const { pino } = await import('pino');
  const settings = { level, base: { role }, serializers: { err: serializeError } };
  const logger = pino(settings, { write: (line: string) => void sink.write(line) });
  const createMethod =
    (method: keyof ProcessLog): LogMethod =>
    (fields, message) =>
      logger[method](fields, message);
  return {
    error: createMethod('error'),
    warn: createMethod('warn'),
    info: createMethod('info'),
    debug: createMethod('debug'),
  };
}

/** pino's own serializer would drop our `detail`. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  return { message: error.message, code, detail, stack: error.stack };
}
