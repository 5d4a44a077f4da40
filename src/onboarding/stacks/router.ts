/** The project of this machine's router, `platform-router`. */
import { askedHealth, composeText, confined, published, type Stack, sharedNetwork } from './stack.ts';

/** What the router's project is made from. */
export type RouterStackOptions = {
  readonly image: string;
  /** Of this machine, on 127.0.0.1; 9765 unless a test says otherwise. */
  readonly port?: number;
  /** The network on which executors are found. */
  readonly network?: string;
  /** The project's name; for tests beside a real one. */
  readonly name?: string;
  /** See `knowsStartInterval`; true unless said otherwise. */
  readonly startInterval?: boolean;
  /** Tells its metrics to the key `scrape.key` of its config volume (see `placeConfig`, project `platform-router`). */
  readonly scraped?: boolean;
};

/** The compose project of the router, and the name of its container. */
export const routerProject = 'platform-router';
const port = 9765;

/** The router's project. */
export function routerStack(options: RouterStackOptions): Stack {
  const { image, network = sharedNetwork, name = routerProject, startInterval = true, scraped = false } = options;
  const hostPort = options.port ?? port;
  const router = {
    image,
    container_name: name,
    pull_policy: 'never',
    command: [
      ...['router', '--host', '0.0.0.0', '--port', String(port), '--allow-insecure', '--host-name', name],
      ...['--executor-url', 'http://platform-inst-{instance}:8765'],
      ...(scraped ? ['--scrape-key-file', '/config/scrape.key'] : []),
    ],
    ...confined({ memory: '128m', pids: 64 }),
    stop_grace_period: '10s',
    healthcheck: askedHealth(['router'], startInterval),
    ports: [published(hostPort, port)],
    networks: { obs: { aliases: [name] } },
    ...(scraped ? { volumes: [{ type: 'volume', source: 'config', target: '/config', read_only: true }] } : {}),
  };
  const document = {
    name,
    services: { router },
    networks: { obs: { name: network, external: true } },
    ...(scraped ? { volumes: { config: {} } } : {}),
  };
  const comment = 'Router of this machine: written by vp onboard, removed by vp teardown with the last instance.';
  const files = { 'compose.yaml': composeText(comment, document) };
  return { name, files, volumes: scraped ? [`${name}_config`] : [], networks: [network], ports: [hostPort] };
}
