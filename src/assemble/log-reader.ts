/** The log reader role: reads the container engine, and serves callers on a unix socket. */
import type { Environment } from '../environment/environment.ts';
import { listLogContainers } from '../logs/reader/containers.ts';
import type { LogEngine } from '../logs/reader/engine-request.ts';
import { startTailServer, type TailServer } from '../logs/reader/tail-server.ts';
import type { ProcessLog } from './process-log.ts';

export type LogReaderOptions = {
  readonly environment: Pick<Environment, 'clock' | 'random'>;
  readonly engine: LogEngine;
  readonly socketPath: string;
  readonly log: ProcessLog;
};

/** `services` are those with containers at the start. */
export type LogReader = TailServer & { readonly services: readonly string[] };

const engineTimeoutMs = 10_000;

/** Starts after a response of the engine. Rejects with LOG_ENGINE_*, LOG_PROJECT_INVALID and LISTEN_*. */
export async function startLogReader(options: LogReaderOptions): Promise<LogReader> {
  const { environment, engine, socketPath, log } = options;
  const { clock, random } = environment;
  const timeout = new AbortController();
  const cancel = clock.after(engineTimeoutMs, () => timeout.abort(new Error('the engine does not respond')));
  try {
    const containers = await listLogContainers(engine, timeout.signal);
    const services = [...new Set(containers.map(({ service }) => service))].sort();
    return { ...(await startTailServer({ socketPath, engine, clock, random, log })), services };
  } finally {
    cancel();
  }
}
