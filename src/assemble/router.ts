/** The router role: its listener, and its connections to executors. */
import { listToolDefinitions } from '../agents/tools/tool-list.ts';
import type { Environment } from '../environment/environment.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { type HttpListener, listen } from '../http/listener/listen.ts';
import { createValidator } from '../http/schema/validator.ts';
import { createExecutorLocator } from '../router/executor-locator.ts';
import { createRouter, RouterHealth, routerLimits } from '../router/router.ts';
import { announceRouter } from '../router/router-presence.ts';
import { openUpstream } from '../router/upstream.ts';
import type { ProcessLog } from './process-log.ts';
import type { ScrapeAccess } from './scrape-key.ts';

/** `executorUrls`: instance → base URL of its executor; `urlPattern`: a base URL with `{instance}`. Neither is needed on one machine. */
export type RouterRoleOptions = {
  readonly environment: Environment;
  readonly host: string;
  readonly port: number;
  readonly executorUrls?: ReadonlyMap<string, string>;
  readonly urlPattern?: string | undefined;
  /** Its names in a container network. */
  readonly hostNames?: readonly string[];
  /** Undefined when metrics are off. */
  readonly scrapeAccess?: ScrapeAccess | undefined;
  readonly log: ProcessLog;
};

/** Rejects with LISTEN_REFUSED, ROUTER_PORT_HELD, ROUTER_RUNS_ALREADY. */
export async function startRouter(options: RouterRoleOptions): Promise<HttpListener> {
  const { environment, host, port, hostNames, executorUrls = new Map(), urlPattern, scrapeAccess, log } = options;
  const { clock, random, paths } = environment;
  const upstream = openUpstream();
  const findExecutor = createExecutorLocator({ executorUrls, urlPattern, paths });
  const app = createRouter({
    findExecutor: findExecutor,
    upstream,
    getToolDefinitions: listToolDefinitions,
    clock,
    log,
    scrapeAccess,
  });
  const handler: Parameters<typeof listen>[0]['handler'] = (request, env) => app.fetch(request, env);
  try {
    const listener = await listen({ host, port, hostNames, handler, clock, random, log, limits: routerLimits });
    const withdraw = announceRouter(paths, listener.url, random);
    const close = async (graceMs?: number): Promise<void> => {
      withdraw();
      await listener.close(graceMs);
      await upstream.close();
    };
    return { ...listener, close };
  } catch (error) {
    await upstream.close();
    throw error instanceof VpError && error.code === 'LISTEN_ADDRESS_TAKEN' ? await describeHolder(error) : error;
  }
}

const routerHealth = createValidator(RouterHealth);
const probeTimeoutMs = 1_000;

/** Distinguishes a running router from another process on the address. */
async function describeHolder(listenError: VpError): Promise<VpError> {
  const address = String(listenError.values.address);
  const health = await fetch(`http://${address}/healthz`, {
    signal: AbortSignal.timeout(probeTimeoutMs),
    redirect: 'manual',
  })
    .then((response): Promise<unknown> => response.json())
    .catch(() => undefined);
  const context = { cause: listenError };
  if (routerHealth.isValid(health)) return vpError('ROUTER_RUNS_ALREADY', { address }, context);
  return vpError('ROUTER_PORT_HELD', { address }, context);
}
