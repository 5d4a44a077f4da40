/** Compose project of Prometheus and the dashboard, one for each machine. */
import { createHash } from 'node:crypto';
import type { ContainerEngine } from '../../../containers/engine.ts';
import { createProjectVolume } from '../../../containers/engine-resources.ts';
import { runOneOffContainer } from '../../../containers/one-off-container.ts';
import { observabilityProjectName } from '../../../contract/platform-names.ts';
import { formatAlertRules } from '../../../dashboard/alerts.ts';
import { formatPrometheusConfig, prometheusFiles } from '../../../dashboard/prometheus-config.ts';
import { vpError } from '../../../errors/vp-error.ts';
import type { ProcessResult } from '../../../process/run-process.ts';
import type { ControlPlaneEndpoint } from '../../platform/platform.ts';
import { controlSocketFolder, toContainerAddress } from '../control-plane-address.ts';
import {
  buildConfinement,
  buildHealthCheck,
  buildPublishedPort,
  type ComposeStack,
  formatComposeFile,
  sharedNetwork,
} from './stack.ts';

/** Images are used as given and never pulled. */
export type ObservabilityStackOptions = {
  readonly image: string;
  /** Default: `prometheusImage`. */
  readonly prometheus?: string;
  /** The control plane whose metrics are shown too; undefined without a key for them. */
  readonly controlPlane: ControlPlaneEndpoint | undefined;
  /** Address of the dashboard for other machines. */
  readonly publicUrl?: string | undefined;
  /** On 127.0.0.1. Default: 3000 and 9095. */
  readonly ports?: { readonly dashboard: number; readonly prometheus: number };
  /** Name of the project and of its network; for tests beside a real one. */
  readonly name?: string;
  readonly selinux?: boolean;
  /** See `supportsStartInterval`. Default: true. */
  readonly startInterval?: boolean;
};

/** Names of its services. */
export const observabilityServices = ['prometheus', 'dashboard'] as const;
/** The official image, pinned. */
export const prometheusImage = 'prom/prometheus:v2.53.3';

const dashboardPort = 3000;
const prometheusPort = 9090;
/** A folder of our image that belongs to its user: an empty volume gets its owner from the folder that it is first mounted on. */
const imageDataFolder = '/data';
const configFolder = '/etc/prometheus';
/** Not a folder of the image: podman would give an empty volume the owner of that folder again at each mount. */
const metricsFolder = '/metrics';
const dashboardName = 'platform-dashboard';

/** The project creates its network. `writeObservabilityConfig` must create its volumes before it starts. */
export function buildObservabilityStack(options: ObservabilityStackOptions): ComposeStack {
  const { name = observabilityProjectName, ports = { dashboard: 3000, prometheus: 9095 } } = options;
  const document = {
    name,
    services: { prometheus: buildPrometheusService(options), dashboard: buildDashboardService(options) },
    networks: { obs: { name: getNetworkName(options) } },
    volumes: { metrics: {}, config: {} },
  };
  const comment = 'Dashboard and Prometheus of this machine: written by vp onboard, kept by vp teardown.';
  return {
    name,
    files: { 'compose.yaml': formatComposeFile(comment, document) },
    volumes: ['config', 'metrics'].map((volume) => `${name}_${volume}`),
    networks: [],
    ports: [ports.dashboard, ports.prometheus],
  };
}

function getNetworkName({ name = observabilityProjectName }: ObservabilityStackOptions): string {
  return name === observabilityProjectName ? sharedNetwork : name;
}

function buildPrometheusService(options: ObservabilityStackOptions): object {
  const { prometheus = prometheusImage, ports, startInterval = true } = options;
  const configHash = createHash('sha256')
    .update(Object.values(buildConfigFiles(options)).join('\0'))
    .digest('hex');
  return {
    image: prometheus,
    pull_policy: 'never',
    command: [
      `--config.file=${configFolder}/${prometheusFiles.config}`,
      `--storage.tsdb.path=${metricsFolder}`,
      ...['--storage.tsdb.retention.time=30d', '--storage.tsdb.retention.size=4GB'],
      // By default any page in a browser of this machine may read the metrics.
      `--web.cors.origin=http://127\\.0\\.0\\.1:${ports?.prometheus ?? 9095}`,
      ...['--query.max-samples=20000000', '--query.timeout=30s', '--log.level=warn'],
    ],
    ...buildConfinement({ memory: '768m', pids: 128 }),
    stop_grace_period: '30s',
    // A changed configuration must recreate the container.
    labels: { 'vp.config': configHash.slice(0, 16) },
    healthcheck: {
      ...buildHealthCheck([], startInterval),
      test: ['CMD', '/bin/promtool', 'check', 'healthy', `--url=http://127.0.0.1:${prometheusPort}`],
    },
    ports: [buildPublishedPort(ports?.prometheus ?? 9095, prometheusPort)],
    networks: { obs: { aliases: ['prometheus'] } },
    volumes: [
      // It runs as the user of our image to read the keys, so the volume must belong to that user.
      { type: 'volume', source: 'metrics', target: metricsFolder, volume: { nocopy: true } },
      { type: 'volume', source: 'config', target: configFolder, read_only: true },
    ],
  };
}

function buildDashboardService(options: ObservabilityStackOptions): object {
  const { image, controlPlane, publicUrl, ports, selinux = false, startInterval = true } = options;
  const isSocket = controlPlane?.kind === 'socket';
  const hosts = controlPlane?.kind === 'url' ? (controlPlane.hosts ?? []) : [];
  const mount = { type: 'bind', target: controlSocketFolder, read_only: true, bind: { create_host_path: false } };
  return {
    image,
    pull_policy: 'never',
    command: [
      ...['dashboard', '--host', '0.0.0.0', '--port', String(dashboardPort), '--allow-insecure'],
      ...['--host-name', dashboardName, '--prometheus', `http://prometheus:${prometheusPort}`],
      ...(controlPlane ? ['--control-plane', toContainerAddress(controlPlane)] : []),
      ...(publicUrl === undefined ? [] : ['--public-url', publicUrl]),
    ],
    ...buildConfinement({ memory: '192m', pids: 64, selinuxOff: selinux && isSocket }),
    stop_grace_period: '10s',
    healthcheck: buildHealthCheck(['dashboard'], startInterval),
    ports: [buildPublishedPort(ports?.dashboard ?? 3000, dashboardPort)],
    networks: { obs: { aliases: [dashboardName] } },
    ...(hosts.length > 0 ? { extra_hosts: [...hosts] } : {}),
    ...(isSocket ? { volumes: [{ ...mount, source: controlPlane.folder }] } : {}),
  };
}

function buildConfigFiles({ controlPlane }: Pick<ObservabilityStackOptions, 'controlPlane'>): Record<string, string> {
  const dashboardAddress = `${dashboardName}:${dashboardPort}`;
  return {
    [prometheusFiles.config]: formatPrometheusConfig({
      folder: configFolder,
      dashboard: dashboardAddress,
      hasControlPlane: controlPlane !== undefined,
    }),
    [prometheusFiles.alerts]: formatAlertRules(),
  };
}

/** Credentials of Prometheus. `controlPlane` is required with `ObservabilityStackOptions.controlPlane`. */
export type ScrapeKeys = { readonly executors: string; readonly controlPlane?: string | undefined };

/**
 * Creates missing volumes and writes the configuration and keys of Prometheus. Call it before each start of the project: a new
 * key is then used at the next scrape. Throws ENGINE_*, CONFIG_NOT_PLACED.
 */
export async function writeObservabilityConfig(
  engine: ContainerEngine,
  options: ObservabilityStackOptions,
  keys: ScrapeKeys,
  signal?: AbortSignal,
): Promise<void> {
  const { image, name = observabilityProjectName } = options;
  const metricsVolume = await createProjectVolume(engine, name, 'metrics');
  const oneOffOptions = { image, network: 'none', signal };
  assertWritten(
    metricsVolume,
    await runOneOffContainer(engine, {
      ...oneOffOptions,
      args: ['--version'],
      volumes: [`${metricsVolume}:${imageDataFolder}`],
    }),
  );
  const configVolume = await createProjectVolume(engine, name, 'config');
  const input = JSON.stringify({
    ...buildConfigFiles(options),
    [prometheusFiles.scrapeKey]: keys.executors,
    ...(keys.controlPlane === undefined ? {} : { [prometheusFiles.controlPlaneKey]: keys.controlPlane }),
  });
  const args = ['place-files', '--to', imageDataFolder];
  assertWritten(
    configVolume,
    await runOneOffContainer(engine, {
      ...oneOffOptions,
      args,
      volumes: [`${configVolume}:${imageDataFolder}`],
      input,
    }),
  );
}

function assertWritten(volume: string, { kind, exitCode, stderr }: ProcessResult): void {
  if (exitCode === 0) return;
  const reason = stderr.trim().split('\n').at(-1)?.slice(0, 300) || kind.replaceAll('_', ' ');
  throw vpError('CONFIG_NOT_PLACED', { volume, reason });
}
