/** The application as a command: settings in, exit code out. `main.ts` runs it, and so does `vp example-target`. */
import { type EventLog, eventLog } from './http/event-log.ts';
import { startExample } from './server.ts';
import { readSettings, SettingsError } from './settings.ts';
import { DatabaseUnavailable } from './storage/database.ts';

export type RunOptions = {
  /** Command line arguments: none, or `--health`. */
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Called with each log line, without its line break. */
  readonly log: (line: string) => void;
  /** Calls `listener` on SIGINT and SIGTERM. */
  readonly onInterrupt: (listener: () => void) => unknown;
};

const healthWaitMs = 3000;

/** Checks the health of a running application on this machine; 0 if it is healthy, 1 otherwise. */
async function probeHealth(variables: RunOptions['variables'], events: EventLog): Promise<number> {
  const url = `http://127.0.0.1:${variables.PORT || '3100'}/api/health`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(healthWaitMs) });
    if (response.ok) return 0;
    events('error', 'not healthy', { url, status: response.status });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    events('error', 'no answer', { url, error: cause instanceof Error ? cause.message : String(cause) });
  }
  return 1;
}

async function serve(options: RunOptions): Promise<number> {
  const stop = new Promise<void>((resolve) => options.onInterrupt(resolve));
  const example = await startExample({ ...readSettings(options.variables), log: options.log });
  await stop;
  await example.close();
  return 0;
}

/**
 * Runs until it is stopped and returns the exit code: 0 stopped, 1 could not start or not healthy, 2 invalid settings or
 * arguments. Errors are logged at level 60.
 */
export async function runExample(options: RunOptions): Promise<number> {
  const events = eventLog(options.log, { nowMs: () => Date.now(), monotonicMs: () => performance.now() });
  const [firstArg, ...otherArgs] = options.args;
  if (firstArg === '--health' && otherArgs.length === 0) return await probeHealth(options.variables, events);
  try {
    if (firstArg !== undefined) throw new SettingsError(`unknown argument ${firstArg}; pass none, or --health`);
    return await serve(options);
  } catch (error) {
    const prefix = error instanceof DatabaseUnavailable ? 'the database does not answer: ' : '';
    events('fatal', `cannot start: ${prefix}${error instanceof Error ? error.message : String(error)}`);
    return error instanceof SettingsError ? 2 : 1;
  }
}
