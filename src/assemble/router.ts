/** The router as a role: its listener, and its connections to executors. */
import { toolDefinitions } from '../agents/definitions.ts';
import type { Environment } from '../environment/environment.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { type Listening, listen } from '../http/listen.ts';
import { validatorOf } from '../http/validator.ts';
import { createRouter, RouterHealth, routerLimits } from '../router/router.ts';
import { openUpstream } from '../router/upstream.ts';
import { findExecutor } from '../router/whereabouts.ts';
import type { ProcessLog } from './process-log.ts';
import type { Scraped } from './scrape-key.ts';

/** `named`: instance → base URL of its executor; `pattern`: a base URL with `{instance}`. Neither is needed on one machine. */
export type RouterRoleOptions = {
  readonly environment: Environment;
  readonly host: string;
  readonly port: number;
  readonly named?: ReadonlyMap<string, string>;
  readonly pattern?: string | undefined;
  /** Its names in a container network. */
  readonly hostNames?: readonly string[];
  /** Undefined where nobody scrapes. */
  readonly scraped?: Scraped | undefined;
  readonly log: ProcessLog;
};

/** Starts to listen. Rejects with LISTEN_REFUSED, ROUTER_PORT_HELD, ROUTER_RUNS_ALREADY. */
export async function startRouter(options: RouterRoleOptions): Promise<Listening> {
  const { environment, host, port, hostNames, named = new Map(), pattern, scraped, log } = options;
  const { clock, random, paths } = environment;
  const upstream = openUpstream();
  const find = findExecutor({ named, pattern, paths });
  const app = createRouter({ find, upstream, toolsOf: toolDefinitions, clock, log, scraped });
  const handler: Parameters<typeof listen>[0]['handler'] = (request, env) => app.fetch(request, env);
  try {
    const listening = await listen({ host, port, hostNames, handler, clock, random, log, limits: routerLimits });
    const close = async (graceMs?: number): Promise<void> => {
      await listening.close(graceMs);
      await upstream.close();
    };
    return { ...listening, close };
  } catch (error) {
    await upstream.close();
    throw error instanceof VpError && error.code === 'LISTEN_ADDRESS_TAKEN' ? await holderOf(error) : error;
  }
}

const health = validatorOf(RouterHealth);
const probeMs = 1_000;

/** Who holds the address: a router, which is right, or something else. */
async function holderOf(taken: VpError): Promise<VpError> {
  const address = String(taken.values.address);
  const said = await fetch(`http://${address}/healthz`, { signal: AbortSignal.timeout(probeMs), redirect: 'manual' })
    .then((answer): Promise<unknown> => answer.json())
    .catch(() => undefined);
  const context = { cause: taken };
  if (health.accepts(said)) return vpError('ROUTER_RUNS_ALREADY', { address }, context);
  return vpError('ROUTER_PORT_HELD', { address }, context);
}
