/** Compose project of the router, one for each machine. */
import { routerProjectName, toInstanceProjectName } from '../../../contract/platform-names.ts';
import { hostPorts } from '../../platform/host-ports.ts';
import {
  buildConfinement,
  buildHealthCheck,
  buildPublishedPort,
  type ComposeStack,
  formatComposeFile,
  sharedNetwork,
} from './stack.ts';

export type RouterStackOptions = {
  readonly image: string;
  /** On 127.0.0.1. Default: 9765. */
  readonly port?: number;
  /** The network on which executors are found. */
  readonly network?: string;
  /** Name of the project; for tests beside a real one. */
  readonly name?: string;
  /** See `supportsStartInterval`. Default: true. */
  readonly startInterval?: boolean;
  /** Serve metrics to the holder of `scrape.key` in the config volume, which `writeProjectConfig` writes. */
  readonly scraped?: boolean;
};

const port = hostPorts.router;

export function buildRouterStack(options: RouterStackOptions): ComposeStack {
  const { image, network = sharedNetwork, name = routerProjectName, startInterval = true, scraped = false } = options;
  const hostPort = options.port ?? port;
  const router = {
    image,
    container_name: name,
    pull_policy: 'never',
    command: [
      ...['router', '--host', '0.0.0.0', '--port', String(port), '--allow-insecure', '--host-name', name],
      ...['--executor-url', `http://${toInstanceProjectName('{instance}')}:8765`],
      ...(scraped ? ['--scrape-key-file', '/config/scrape.key'] : []),
    ],
    ...buildConfinement({ memory: '128m', pids: 64 }),
    stop_grace_period: '10s',
    healthcheck: buildHealthCheck(['router'], startInterval),
    ports: [buildPublishedPort(hostPort, port)],
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
  const files = { 'compose.yaml': formatComposeFile(comment, document) };
  return { name, files, volumes: scraped ? [`${name}_config`] : [], networks: [network], ports: [hostPort] };
}
