/** The log reader as a role: the engine on one side, callers on a unix socket on the other. */
import type { Environment } from '../environment/environment.ts';
import { containersOf } from '../logs/reader/containers.ts';
import type { Engine } from '../logs/reader/engine-request.ts';
import { listenForTails, type TailServer } from '../logs/reader/tail-server.ts';
import type { ProcessLog } from './process-log.ts';

/** Where it listens, and which project of which engine it reads. */
export type LogReaderOptions = {
  readonly environment: Pick<Environment, 'clock' | 'random'>;
  readonly engine: Engine;
  readonly socketPath: string;
  readonly log: ProcessLog;
};

/** A running log reader; `services` are those the project has containers of by now. */
export type LogReader = TailServer & { readonly services: readonly string[] };

const greetingMs = 10_000;

/** Starts once the engine has answered. Rejects with LOG_ENGINE_*, LOG_PROJECT_INVALID and LISTEN_*. */
export async function startLogReader(options: LogReaderOptions): Promise<LogReader> {
  const { environment, engine, socketPath, log } = options;
  const { clock, random } = environment;
  const late = new AbortController();
  const cancel = clock.after(greetingMs, () => late.abort(new Error('the engine does not answer')));
  try {
    const containers = await containersOf(engine, late.signal);
    const services = [...new Set(containers.map(({ service }) => service))].sort();
    return { ...(await listenForTails({ socketPath, engine, clock, random, log })), services };
  } finally {
    cancel();
  }
}
