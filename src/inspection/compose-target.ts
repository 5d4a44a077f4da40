/** The compose project whose container publishes the port of an address, with the address inside its network. */
import { listContainers } from '../containers/containers.ts';
import { openEngine } from '../containers/engine.ts';
import type { Environment } from '../environment/environment.ts';
import { VpError } from '../errors/vp-error.ts';
import { isLoopback } from '../outbound/outbound-fetch.ts';

export type ComposeTarget = {
  readonly project: string;
  readonly service: string;
  readonly network: string;
  /** As the executor of a container sees it: `http://<service>:<port>`. */
  readonly baseUrl: string;
};

const engineTimeoutMs = 5000;

/** Undefined without an engine, and for an address that no container of a compose project publishes. */
export async function findComposeTarget(
  baseUrl: string,
  environment: Pick<Environment, 'variables' | 'platform'>,
): Promise<ComposeTarget | undefined> {
  if (!isLoopback(baseUrl)) return undefined;
  const { port, protocol } = new URL(baseUrl);
  const published = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  try {
    const engine = await openEngine(environment, AbortSignal.timeout(engineTimeoutMs));
    const containers = await listContainers(engine, [`publish=${published}`]);
    const container = containers.find(({ state, project }) => state === 'running' && project !== '');
    const inside = container && findContainerPort(container.ports, published);
    const network = container?.networks[0];
    if (!container || inside === undefined || network === undefined) return undefined;
    const { project, service } = container;
    return { project, service, network, baseUrl: `${protocol}//${service}:${inside}` };
  } catch (error) {
    if (error instanceof VpError) return undefined;
    throw error;
  }
}

/** `0.0.0.0:3200->3100/tcp, [::]:3200->3100/tcp` → `3100`. */
export function findContainerPort(ports: string, published: string): string | undefined {
  for (const [, outer, inner] of ports.matchAll(/:(\d+)->(\d+)\/tcp/g)) if (outer === published) return inner;
  return undefined;
}
