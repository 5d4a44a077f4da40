/** Compose project of one instance: its executor and its log reader. */
import { toInstanceProjectName } from '../../../contract/platform-names.ts';
import { type ControlPlaneEndpoint, caFileName, directKeyFileName } from '../../platform/platform.ts';
import { controlSocketFolder, toContainerAddress } from '../control-plane-address.ts';
import {
  buildConfinement,
  buildHealthCheck,
  buildPublishedPort,
  type ComposeStack,
  formatComposeFile,
  sharedNetwork,
} from './stack.ts';

/** `image` is used as given and never pulled. */
export type InstanceStackOptions = {
  readonly instanceId: string;
  readonly image: string;
  /** On 127.0.0.1. */
  readonly port: number;
  /** The target's network, which must exist. */
  readonly network: string;
  /** The target's compose project, whose logs are read. */
  readonly composeProject: string;
  /** Path of the engine's socket on its own machine, and the group that may use it there. */
  readonly engineSocket: string;
  readonly socketGroup: number;
  readonly controlPlane: ControlPlaneEndpoint;
  readonly selinux: boolean;
  /** See `supportsStartInterval`. Default: true. */
  readonly startInterval?: boolean;
  /** Network shared with router and Prometheus; for tests beside a real one. */
  readonly shared?: string;
};

/** Its containers, as users know them. */
export const instanceRoles = ['executor', 'log-reader'] as const;
export type InstanceRole = (typeof instanceRoles)[number];

/**
 * The compose service of a role. Compose makes its name an alias in every network, and the target's network is not ours: a service
 * of the target that is named `executor` would share its requests with ours.
 */
function getInstanceServiceName(instanceId: string, role: InstanceRole): string {
  return role === 'executor' ? toInstanceProjectName(instanceId) : role;
}

export function getInstanceContainerName(instanceId: string, role: InstanceRole): string {
  return `${toInstanceProjectName(instanceId)}-${role}-1`;
}

const executorContainerPort = 8765;
/** Network alias by which Prometheus finds all executors. */
const executorsNetworkAlias = 'vp-executors';
const logFolder = '/run/vp-logs';
const logSocket = `${logFolder}/log.sock`;
const configFolder = '/config';

/** The volume with config and secrets of an instance; see `writeInstanceConfig`. */
export function getConfigVolumeName(instanceId: string): string {
  return `${toInstanceProjectName(instanceId)}_config`;
}

export function buildInstanceStack(options: InstanceStackOptions): ComposeStack {
  const { instanceId, network, shared = sharedNetwork } = options;
  const name = toInstanceProjectName(instanceId);
  const document = {
    name,
    services: {
      [getInstanceServiceName(instanceId, 'executor')]: buildExecutorService(options),
      [getInstanceServiceName(instanceId, 'log-reader')]: buildLogReaderService(options),
    },
    networks: { target: externalNetwork(network), obs: externalNetwork(shared) },
    volumes: { config: {}, data: {}, logs: {} },
  };
  return {
    name,
    files: {
      'compose.yaml': formatComposeFile(
        `Instance ${instanceId}: written by vp onboard, removed by vp teardown.`,
        document,
      ),
    },
    volumes: ['config', 'data', 'logs'].map((volume) => `${name}_${volume}`),
    networks: [network, shared],
    ports: [options.port],
  };
}

function externalNetwork(name: string): object {
  return { name, external: true };
}

function buildExecutorService(options: InstanceStackOptions): object {
  const { instanceId, image, controlPlane, selinux, startInterval = true } = options;
  const hosts = controlPlane.kind === 'url' ? (controlPlane.hosts ?? []) : [];
  const isSocket = controlPlane.kind === 'socket';
  return {
    image,
    container_name: getInstanceContainerName(instanceId, 'executor'),
    pull_policy: 'never',
    command: buildExecutorArgs(options),
    // SELinux forbids a socket of the host, whatever the label of its folder.
    ...buildConfinement({ memory: '384m', pids: 128, selinuxOff: selinux && isSocket }),
    stop_grace_period: '40s',
    healthcheck: buildHealthCheck(['executor'], startInterval),
    ports: [buildPublishedPort(options.port, executorContainerPort)],
    networks: { target: {}, obs: { aliases: [executorsNetworkAlias] } },
    ...(hosts.length > 0 ? { extra_hosts: [...hosts] } : {}),
    volumes: [
      { type: 'volume', source: 'data', target: '/data' },
      { type: 'volume', source: 'config', target: configFolder, read_only: true },
      { type: 'volume', source: 'logs', target: logFolder, read_only: true },
      ...(isSocket ? [readOnlyBind(controlPlane.folder, controlSocketFolder)] : []),
    ],
  };
}

function buildExecutorArgs({ instanceId, controlPlane }: InstanceStackOptions): string[] {
  const hasCa = controlPlane.kind === 'url' && controlPlane.ca !== undefined;
  return [
    'executor',
    ...['--host', '0.0.0.0', '--port', String(executorContainerPort), '--allow-insecure'],
    ...['--host-name', toInstanceProjectName(instanceId), '--host-name', executorsNetworkAlias],
    ...['--product-dir', configFolder, '--data', '/data', '--log', `unix:${logSocket}`],
    ...['--key-file', `${configFolder}/executor.key`, '--scrape-key-file', `${configFolder}/scrape.key`],
    ...['--direct-key-file', `${configFolder}/${directKeyFileName}`],
    ...['--control-plane', toContainerAddress(controlPlane)],
    ...(hasCa ? ['--ca', `${configFolder}/${caFileName}`] : []),
  ];
}

/** It has the engine's socket, which permits everything: so it has no network and serves on a socket of its own. */
function buildLogReaderService(options: InstanceStackOptions): object {
  const { image, composeProject, engineSocket, socketGroup, selinux, startInterval = true } = options;
  const socketPath = '/run/engine.sock';
  return {
    image,
    pull_policy: 'never',
    command: ['log-reader', '--project', composeProject, '--engine', socketPath, '--socket', logSocket],
    ...buildConfinement({ memory: '128m', pids: 64, selinuxOff: selinux }),
    group_add: [String(socketGroup)],
    network_mode: 'none',
    stop_grace_period: '5s',
    healthcheck: buildHealthCheck(['log-reader', '--socket', logSocket], startInterval),
    volumes: [readOnlyBind(engineSocket, socketPath), { type: 'volume', source: 'logs', target: logFolder }],
  };
}

function readOnlyBind(source: string, target: string): object {
  return { type: 'bind', source, target, read_only: true, bind: { create_host_path: false } };
}
