/** Who holds a port of this machine: a container with its project and service, else a process and its user. */
import type { Environment } from '../environment/environment.ts';
import { type Container, containers, containerText } from './containers.ts';
import type { Engine } from './engine.ts';
import { type Listener, listenersOn } from './listeners.ts';

/** Whoever holds a port; `container` where the engine published it. */
export type PortHolder = {
  readonly port: number;
  readonly container: Container | undefined;
  readonly listener: Listener | undefined;
};

type Place = Pick<Environment, 'platform' | 'variables'>;

/** The holder of `port`; undefined where it is free. Without an engine only processes are found. */
export async function portHolder(
  place: Place,
  engine: Engine | undefined,
  port: number,
): Promise<PortHolder | undefined> {
  const published = engine ? await containers(engine, [`publish=${port}`]) : [];
  const container = published.find(({ state }) => state === 'running' || state === 'paused' || state === 'restarting');
  if (container) return { port, container, listener: undefined };
  const [listener] = await listenersOn(place, port);
  return listener && { port, container: undefined, listener };
}

/** For a person: `process node (pid 412) of user ada, on 127.0.0.1`. */
export function holderText({ container, listener }: PortHolder): string {
  if (container) return containerText(container);
  if (!listener) return 'something unknown';
  const { holder, user, address } = listener;
  const who = holder ? `process ${holder.name} (pid ${holder.pid})` : 'a process';
  return `${who}${user === undefined ? '' : ` of user ${user}`}, on ${address}`;
}
