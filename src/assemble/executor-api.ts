/** The executor's own listener: direct runs and its status for whoever has its key, tools for agents. */
import { join } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import type { AgentEndpoint } from '../executor/agent-endpoint.ts';
import type { Executor } from '../executor/executor.ts';
import { createLocalApi, keyCheck, localApiLimits } from '../executor/local-api.ts';
import { type Listening, listen } from '../http/listen.ts';
import { readKeyFile, writeKeyFile } from '../secrets/key-file.ts';
import type { ProcessLog } from './process-log.ts';
import type { Scraped } from './scrape-key.ts';

/** Where it listens; the key is kept in `folder`. */
export type ExecutorApiOptions = {
  readonly environment: Environment;
  readonly executor: Executor;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  /** Its names in a container network. */
  readonly hostNames?: readonly string[];
  /** Undefined where nobody scrapes. */
  readonly scraped?: Scraped | undefined;
  /** Undefined where agents are not served. */
  readonly agents?: AgentEndpoint | undefined;
  readonly log: ProcessLog;
};

/** `key` opens it, but for the tools of agents, who have tokens. */
export type ExecutorApi = Listening & { readonly key: string };

/** The key of earlier starts, or a new one: 256 bits in `<folder>/direct.key`, mode 0600. */
function directKey(folder: string, { random }: Environment): string {
  const file = join(folder, 'direct.key');
  const kept = readKeyFile(file);
  if (kept !== undefined) return kept;
  const key = `vpd_${random.token(32)}`;
  writeKeyFile(file, key);
  return key;
}

/** Starts to listen. Rejects with LISTEN_*. */
export async function listenForDirectRuns(options: ExecutorApiOptions): Promise<ExecutorApi> {
  const { environment, executor, folder, host, port, hostNames, scraped, agents, log } = options;
  const { clock, random } = environment;
  const key = directKey(folder, environment);
  const app = createLocalApi({
    executor,
    version,
    authenticate: keyCheck(key, scraped?.key),
    clock,
    log,
    agents,
    metrics: scraped?.metrics,
  });
  const handler: Parameters<typeof listen>[0]['handler'] = (request, env) => app.fetch(request, env);
  const listening = await listen({ host, port, hostNames, handler, clock, random, log, limits: localApiLimits });
  const close = async (graceMs?: number): Promise<void> => {
    await listening.close(graceMs);
    await agents?.close();
  };
  return { ...listening, key, close };
}
