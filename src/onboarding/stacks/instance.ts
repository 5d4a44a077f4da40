/** The project of one instance, `platform-inst-<id>`: its executor, and the log reader beside it. */
import { askedHealth, composeText, confined, published, type Stack, sharedNetwork } from './stack.ts';
import { addressInside, type ControlPlaneWay, caFileName, controlFolder } from './way.ts';

/** What an instance's project is made from; `image` is taken as it is given and never pulled. */
export type InstanceStackOptions = {
  readonly instanceId: string;
  readonly image: string;
  /** Of this machine, on 127.0.0.1. */
  readonly port: number;
  /** The target's network, which exists. */
  readonly network: string;
  /** The target's compose project, whose log is read. */
  readonly composeProject: string;
  /** The engine's socket on its own machine, and the number of the group that may use it there. */
  readonly engineSocket: string;
  readonly socketGroup: number;
  readonly controlPlane: ControlPlaneWay;
  readonly selinux: boolean;
  /** See `knowsStartInterval`; true unless said otherwise. */
  readonly startInterval?: boolean;
  /** The network that is shared with router and Prometheus; for tests beside a real one. */
  readonly shared?: string;
};

const port = 8765;
/** The name under which Prometheus finds all executors. */
export const executorsAlias = 'vp-executors';
const logFolder = '/run/vp-logs';
const logSocket = `${logFolder}/log.sock`;
const configFolder = '/config';

/** The compose project of an instance; its executor has the same name on the shared network. */
export function instanceProject(instanceId: string): string {
  return `platform-inst-${instanceId}`;
}

/** The volume that holds config and secrets of an instance; see `placeConfig`. */
export function configVolume(instanceId: string): string {
  return `${instanceProject(instanceId)}_config`;
}

/** The project of an instance. */
export function instanceStack(options: InstanceStackOptions): Stack {
  const { instanceId, network, shared = sharedNetwork } = options;
  const name = instanceProject(instanceId);
  const document = {
    name,
    services: { executor: executorService(options), 'log-reader': logReaderService(options) },
    networks: { target: external(network), obs: external(shared) },
    volumes: { config: {}, data: {}, logs: {} },
  };
  return {
    name,
    files: {
      'compose.yaml': composeText(`Instance ${instanceId}: written by vp onboard, removed by vp teardown.`, document),
    },
    volumes: ['config', 'data', 'logs'].map((volume) => `${name}_${volume}`),
    networks: [network, shared],
    ports: [options.port],
  };
}

function external(name: string): object {
  return { name, external: true };
}

function executorService(options: InstanceStackOptions): object {
  const { instanceId, image, controlPlane, selinux, startInterval = true } = options;
  const hosts = controlPlane.kind === 'url' ? (controlPlane.hosts ?? []) : [];
  const isSocket = controlPlane.kind === 'socket';
  return {
    image,
    pull_policy: 'never',
    command: executorWords(options),
    // A socket of the host is out of reach under SELinux, whatever the label of its folder.
    ...confined({ memory: '384m', pids: 128, selinuxOff: selinux && isSocket }),
    stop_grace_period: '40s',
    healthcheck: askedHealth(['executor'], startInterval),
    ports: [published(options.port, port)],
    networks: { target: {}, obs: { aliases: [instanceProject(instanceId), executorsAlias] } },
    ...(hosts.length > 0 ? { extra_hosts: [...hosts] } : {}),
    volumes: [
      { type: 'volume', source: 'data', target: '/data' },
      { type: 'volume', source: 'config', target: configFolder, read_only: true },
      { type: 'volume', source: 'logs', target: logFolder, read_only: true },
      ...(isSocket ? [mountedFrom(controlPlane.folder, controlFolder)] : []),
    ],
  };
}

function executorWords({ instanceId, controlPlane }: InstanceStackOptions): string[] {
  const hasCa = controlPlane.kind === 'url' && controlPlane.ca !== undefined;
  return [
    'executor',
    ...['--host', '0.0.0.0', '--port', String(port), '--allow-insecure'],
    ...['--host-name', instanceProject(instanceId), '--host-name', executorsAlias],
    ...['--product-dir', configFolder, '--data', '/data', '--log', `unix:${logSocket}`],
    ...['--key-file', `${configFolder}/executor.key`, '--scrape-key-file', `${configFolder}/scrape.key`],
    ...['--control-plane', addressInside(controlPlane)],
    ...(hasCa ? ['--ca', `${configFolder}/${caFileName}`] : []),
  ];
}

/** It holds the engine's socket, which allows everything: so it has no network, and answers on a socket of its own. */
function logReaderService(options: InstanceStackOptions): object {
  const { image, composeProject, engineSocket, socketGroup, selinux, startInterval = true } = options;
  const inside = '/run/engine.sock';
  return {
    image,
    pull_policy: 'never',
    command: ['log-reader', '--project', composeProject, '--engine', inside, '--socket', logSocket],
    ...confined({ memory: '128m', pids: 64, selinuxOff: selinux }),
    group_add: [String(socketGroup)],
    network_mode: 'none',
    stop_grace_period: '5s',
    healthcheck: askedHealth(['log-reader', '--socket', logSocket], startInterval),
    volumes: [mountedFrom(engineSocket, inside), { type: 'volume', source: 'logs', target: logFolder }],
  };
}

function mountedFrom(source: string, target: string): object {
  return { type: 'bind', source, target, read_only: true, bind: { create_host_path: false } };
}
