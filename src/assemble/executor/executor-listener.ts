/** The executor's own listener: direct runs and status with its key, and tools for agents. */
import { join } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { version } from '../../environment/version.ts';
import type { AgentEndpoint } from '../../executor/agents/agent-endpoint.ts';
import type { Executor } from '../../executor/executor.ts';
import { createKeyAuthenticator, createLocalApi, localApiLimits } from '../../executor/local-api.ts';
import { type HttpListener, listen } from '../../http/listener/listen.ts';
import { readKeyFile, writeKeyFile } from '../../secrets/key-file.ts';
import type { ProcessLog } from '../process-log.ts';
import type { ScrapeAccess } from '../scrape-key.ts';

/** The key is stored in `folder`. */
export type ExecutorListenerOptions = {
  readonly environment: Environment;
  readonly executor: Executor;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  /** Its names in a container network. */
  readonly hostNames?: readonly string[];
  /** Undefined when metrics are off. */
  readonly scrapeAccess?: ScrapeAccess | undefined;
  /** Undefined without agents. */
  readonly agents?: AgentEndpoint | undefined;
  /** The key for everything except the agents' tools; default: the one in `folder`. */
  readonly directKey?: string | undefined;
  readonly log: ProcessLog;
};

/** `key` is the credential for everything except the agents' tools. */
export type ExecutorListener = HttpListener & { readonly key: string };

/** The stored key, or a new one: 256 bits in `<folder>/direct.key`, mode 0600. */
function openDirectKey(folder: string, { random }: Environment): string {
  const file = join(folder, 'direct.key');
  const storedKey = readKeyFile(file);
  if (storedKey !== undefined) return storedKey;
  const key = `vpd_${random.token(32)}`;
  writeKeyFile(file, key);
  return key;
}

/** Rejects with LISTEN_*. */
export async function startExecutorListener(options: ExecutorListenerOptions): Promise<ExecutorListener> {
  const { environment, executor, folder, host, port, hostNames, scrapeAccess, agents, log } = options;
  const { clock, random } = environment;
  const key = options.directKey ?? openDirectKey(folder, environment);
  const app = createLocalApi({
    executor,
    version,
    authenticate: createKeyAuthenticator(key, scrapeAccess?.key),
    clock,
    log,
    agents,
    metrics: scrapeAccess?.metrics,
  });
  const handler: Parameters<typeof listen>[0]['handler'] = (request, env) => app.fetch(request, env);
  const listener = await listen({ host, port, hostNames, handler, clock, random, log, limits: localApiLimits });
  const close = async (graceMs?: number): Promise<void> => {
    await listener.close(graceMs);
    await agents?.close();
  };
  return { ...listener, key, close };
}
