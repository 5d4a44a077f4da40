/** Who holds a port of this machine: a container with its project and service, or a process and its user. */
import type { Environment } from '../environment/environment.ts';
import { VpError } from '../errors/vp-error.ts';
import { type ContainerInfo, describeContainer, listContainers } from './containers.ts';
import type { ContainerEngine } from './engine.ts';
import { findListeners, type PortListener } from './port-listeners.ts';

/** `container` is set where the engine published the port, `listener` otherwise. */
export type PortHolder = {
  readonly port: number;
  readonly container: ContainerInfo | undefined;
  readonly listener: PortListener | undefined;
};

type PortHolderEnvironment = Pick<Environment, 'platform' | 'variables'>;

/** The holder of `port`; undefined where it is free. Without an engine only processes are found. */
export async function findPortHolder(
  environment: PortHolderEnvironment,
  engine: ContainerEngine | undefined,
  port: number,
): Promise<PortHolder | undefined> {
  const published = engine ? await listPublishing(engine, port) : [];
  const container = published.find(({ state }) => state === 'running' || state === 'paused' || state === 'restarting');
  if (container) return { port, container, listener: undefined };
  const [listener] = await findListeners(environment, port);
  return listener && { port, container: undefined, listener };
}

/** Containers, including stopped ones, that publish `port`. podman 4 refuses the filter, where docker also finds restarting ones. */
async function listPublishing(engine: ContainerEngine, port: number): Promise<readonly ContainerInfo[]> {
  try {
    return await listContainers(engine, [`publish=${port}`]);
  } catch (error) {
    if (!(error instanceof VpError && /invalid filter/i.test(error.message))) throw error;
    return (await listContainers(engine)).filter(({ ports }) => isPublished(ports, port));
  }
}

/** `ports` as the engine prints them: `127.0.0.1:3000->3000/tcp, [::]:8000-8010->8000-8010/tcp, 9000/tcp`. */
function isPublished(ports: string, port: number): boolean {
  return [...ports.matchAll(/(?:^|[\s:])(\d+)(?:-(\d+))?->/g)].some(
    ([, first, last = first]) => Number(first) <= port && port <= Number(last),
  );
}

/** For people: `process node (pid 412) of user ada, on 127.0.0.1`. */
export function describePortHolder({ container, listener }: PortHolder): string {
  if (container) return describeContainer(container);
  if (!listener) return 'something unknown';
  const { holder, user, address } = listener;
  const processText = holder ? `process ${holder.name} (pid ${holder.pid})` : 'a process';
  return `${processText}${user === undefined ? '' : ` of user ${user}`}, on ${address}`;
}
