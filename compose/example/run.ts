/** The application as a program: settings in, exit code out. `main.ts` runs it, and so can a program that carries it. */
import { type EventLog, eventLog } from './http/event-log.ts';
import { startExample } from './server.ts';
import { SettingsError, settingsOf } from './settings.ts';
import { DatabaseUnavailable } from './storage/database.ts';

/** What the program needs of its process. */
export type RunOptions = {
  /** The words after the program's name: none, or `--health`. */
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Gets each log line, without its line break. */
  readonly log: (line: string) => void;
  /** Calls `listener` when the program is asked to stop. */
  readonly onInterrupt: (listener: () => void) => unknown;
};

const healthWaitMs = 3000;

/** Asks a running application on this machine for its health; 0 when it is well, 1 otherwise. For health checks. */
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
  const example = await startExample({ ...settingsOf(options.variables), log: options.log });
  await stop;
  await example.close();
  return 0;
}

/**
 * Runs until asked to stop and resolves to the exit code: 0 stopped, 1 could not start or not healthy, 2 wrong
 * settings or words. What is wrong is logged at level 60.
 */
export async function runExample(options: RunOptions): Promise<number> {
  const events = eventLog(options.log, { nowMs: () => Date.now(), monotonicMs: () => performance.now() });
  const [word, ...more] = options.args;
  if (word === '--health' && more.length === 0) return await probeHealth(options.variables, events);
  try {
    if (word !== undefined) throw new SettingsError(`unknown word ${word}; write nothing, or --health`);
    return await serve(options);
  } catch (error) {
    const away = error instanceof DatabaseUnavailable ? 'the database does not answer: ' : '';
    events('fatal', `cannot start: ${away}${error instanceof Error ? error.message : String(error)}`);
    return error instanceof SettingsError ? 2 : 1;
  }
}
