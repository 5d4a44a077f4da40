/** The project that watches over a machine's instances, `platform-obs`: Prometheus and the dashboard. */
import { createHash } from 'node:crypto';
import type { Engine } from '../../containers/engine.ts';
import { makeProjectVolume } from '../../containers/networks.ts';
import { runOnce } from '../../containers/one-shot.ts';
import { alertsText } from '../../dashboard/alerts.ts';
import { prometheusConfigText, prometheusFiles } from '../../dashboard/prometheus-config.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { ProgramEnd } from '../../process/run-program.ts';
import { askedHealth, composeText, confined, published, type Stack, sharedNetwork } from './stack.ts';
import { addressInside, type ControlPlaneWay, controlFolder } from './way.ts';

/** What the project is made from. Images are taken as they are given and never pulled. */
export type ObservabilityOptions = {
  readonly image: string;
  /** `prometheusImage` unless said otherwise. */
  readonly prometheus?: string;
  /** Of the control plane whose metrics are shown too; undefined where there is no key for them. */
  readonly controlPlane: ControlPlaneWay | undefined;
  /** Where people reach the dashboard besides this machine. */
  readonly publicUrl?: string | undefined;
  /** Of this machine, on 127.0.0.1; 3000 and 9095 unless a test says otherwise. */
  readonly ports?: { readonly dashboard: number; readonly prometheus: number };
  /** The project's name, and that of its network; for tests beside a real one. */
  readonly name?: string;
  readonly selinux?: boolean;
  /** See `knowsStartInterval`; true unless said otherwise. */
  readonly startInterval?: boolean;
};

/** The compose project, and the network that it makes for all others. */
export const observabilityProject = 'platform-obs';
/** The official image, pinned. */
export const prometheusImage = 'prom/prometheus:v2.53.3';

const dashboardPort = 3000;
const prometheusPort = 9090;
/** A folder of our image that belongs to its user: an empty volume that is mounted there first becomes that user's. */
const ownFolder = '/data';
const configFolder = '/etc/prometheus';
const dashboardName = 'platform-dashboard';

/** The project. It makes its network; `placeObservability` makes its volumes before it starts. */
export function observabilityStack(options: ObservabilityOptions): Stack {
  const { name = observabilityProject, ports = { dashboard: 3000, prometheus: 9095 } } = options;
  const document = {
    name,
    services: { prometheus: prometheusService(options), dashboard: dashboardService(options) },
    networks: { obs: { name: networkOf(options) } },
    volumes: { metrics: {}, config: {} },
  };
  const comment = 'Dashboard and Prometheus of this machine: written by vp onboard, kept by vp teardown.';
  return {
    name,
    files: { 'compose.yaml': composeText(comment, document) },
    volumes: ['config', 'metrics'].map((volume) => `${name}_${volume}`),
    networks: [],
    ports: [ports.dashboard, ports.prometheus],
  };
}

function networkOf({ name = observabilityProject }: ObservabilityOptions): string {
  return name === observabilityProject ? sharedNetwork : name;
}

function prometheusService(options: ObservabilityOptions): object {
  const { prometheus = prometheusImage, ports, startInterval = true } = options;
  const configHash = createHash('sha256')
    .update(Object.values(configTexts(options)).join('\0'))
    .digest('hex');
  return {
    image: prometheus,
    pull_policy: 'never',
    command: [
      `--config.file=${configFolder}/${prometheusFiles.config}`,
      ...['--storage.tsdb.path=/prometheus', '--storage.tsdb.retention.time=30d', '--storage.tsdb.retention.size=4GB'],
      // By default any page in a browser of this machine may read it.
      `--web.cors.origin=http://127\\.0\\.0\\.1:${ports?.prometheus ?? 9095}`,
      ...['--query.max-samples=20000000', '--query.timeout=30s', '--log.level=warn'],
    ],
    ...confined({ memory: '768m', pids: 128 }),
    stop_grace_period: '30s',
    // A new configuration makes a new container.
    labels: { 'vp.config': configHash.slice(0, 16) },
    healthcheck: {
      ...askedHealth([], startInterval),
      test: ['CMD', '/bin/promtool', 'check', 'healthy', `--url=http://127.0.0.1:${prometheusPort}`],
    },
    ports: [published(ports?.prometheus ?? 9095, prometheusPort)],
    networks: { obs: { aliases: ['prometheus'] } },
    volumes: [
      // It runs as the user of our image, to read the keys; so the volume is made as that user's.
      { type: 'volume', source: 'metrics', target: '/prometheus', volume: { nocopy: true } },
      { type: 'volume', source: 'config', target: configFolder, read_only: true },
    ],
  };
}

function dashboardService(options: ObservabilityOptions): object {
  const { image, controlPlane, publicUrl, ports, selinux = false, startInterval = true } = options;
  const isSocket = controlPlane?.kind === 'socket';
  const hosts = controlPlane?.kind === 'url' ? (controlPlane.hosts ?? []) : [];
  const mount = { type: 'bind', target: controlFolder, read_only: true, bind: { create_host_path: false } };
  return {
    image,
    pull_policy: 'never',
    command: [
      ...['dashboard', '--host', '0.0.0.0', '--port', String(dashboardPort), '--allow-insecure'],
      ...['--host-name', dashboardName, '--prometheus', `http://prometheus:${prometheusPort}`],
      ...(controlPlane ? ['--control-plane', addressInside(controlPlane)] : []),
      ...(publicUrl === undefined ? [] : ['--public-url', publicUrl]),
    ],
    ...confined({ memory: '192m', pids: 64, selinuxOff: selinux && isSocket }),
    stop_grace_period: '10s',
    healthcheck: askedHealth(['dashboard'], startInterval),
    ports: [published(ports?.dashboard ?? 3000, dashboardPort)],
    networks: { obs: { aliases: [dashboardName] } },
    ...(hosts.length > 0 ? { extra_hosts: [...hosts] } : {}),
    ...(isSocket ? { volumes: [{ ...mount, source: controlPlane.folder }] } : {}),
  };
}

function configTexts({ controlPlane }: Pick<ObservabilityOptions, 'controlPlane'>): Record<string, string> {
  const dashboard = `${dashboardName}:${dashboardPort}`;
  return {
    [prometheusFiles.config]: prometheusConfigText({
      folder: configFolder,
      dashboard,
      hasControlPlane: controlPlane !== undefined,
    }),
    [prometheusFiles.alerts]: alertsText(),
  };
}

/** The keys that Prometheus shows; `controlPlane` where `ObservabilityOptions.controlPlane` is given. */
export type ScrapeKeys = { readonly executors: string; readonly controlPlane?: string | undefined };

/**
 * Makes the volumes where they are missing and puts Prometheus' configuration and keys into theirs. Run it before each
 * start of the project: a new key is then used at the next scrape. Throws ENGINE_*, CONFIG_NOT_PLACED.
 */
export async function placeObservability(
  engine: Engine,
  options: ObservabilityOptions,
  keys: ScrapeKeys,
  signal?: AbortSignal,
): Promise<void> {
  const { image, name = observabilityProject } = options;
  const metrics = await makeProjectVolume(engine, name, 'metrics');
  const inNone = { image, network: 'none', signal };
  placed(metrics, await runOnce(engine, { ...inNone, words: ['--version'], volumes: [`${metrics}:${ownFolder}`] }));
  const config = await makeProjectVolume(engine, name, 'config');
  const input = JSON.stringify({
    ...configTexts(options),
    [prometheusFiles.scrapeKey]: keys.executors,
    ...(keys.controlPlane === undefined ? {} : { [prometheusFiles.controlPlaneKey]: keys.controlPlane }),
  });
  const words = ['place-files', '--to', ownFolder];
  placed(config, await runOnce(engine, { ...inNone, words, volumes: [`${config}:${ownFolder}`], input }));
}

function placed(volume: string, { kind, exitCode, stderr }: ProgramEnd): void {
  if (exitCode === 0) return;
  const reason = stderr.trim().split('\n').at(-1)?.slice(0, 300) || kind.replaceAll('_', ' ');
  throw vpError('CONFIG_NOT_PLACED', { volume, reason });
}
