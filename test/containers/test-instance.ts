/** A target, a control plane and the stack of one instance, as onboarding would start them, until the end of the test. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { startControlPlane } from '../../src/assemble/control-plane/control-plane.ts';
import { getExecutorSocketPath } from '../../src/assemble/control-plane/executor-socket.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { removeComposeProject, startComposeProject } from '../../src/containers/compose-project.ts';
import { type ContainerEngine, openEngine } from '../../src/containers/engine.ts';
import { readSocketGroup } from '../../src/onboarding/compose/components/stack-files.ts';
import { selectEndpoint } from '../../src/onboarding/compose/select-endpoint.ts';
import { buildInstanceStack } from '../../src/onboarding/compose/stacks/instance-stack.ts';
import { writeInstanceConfig } from '../../src/onboarding/compose/write-config.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { createLogFolder } from '../logs/log-folder.ts';

/** The image under test. */
export const image = process.env.VP_IMAGE ?? 'vp:v0.4.0-slim';
/** Names for a test, which no user's project has. */
export type TestInstanceNames = ReturnType<typeof createNames>;

function createNames(name: string) {
  const instance = `test-${name}`;
  const project = `platform-inst-${instance}`;
  return {
    ...{ target: `vp-test-${name}`, instance, shared: `vp-test-${name}-obs`, project },
    ...{ network: `vp-test-${name}_default`, app: `vp-test-${name}-app-1`, db: `vp-test-${name}-db-1` },
    ...{ executor: `${project}-executor-1`, reader: `${project}-log-reader-1` },
  };
}

/** Default names. */
export const defaultNames = createNames('stage');
/** Key for the metrics. */
export const scrapeKey = `vps_${'s'.repeat(43)}`;
/** Key for the executor's own API. */
export const directKey = `vpd_${'d'.repeat(43)}`;

const secrets = { api: 'stageApiToken1234', owner: 'stageOwner1234', reader: 'stageReader1234' };
const run = promisify(execFile);

/** Runs the engine's command. */
export async function docker(...args: string[]): Promise<string> {
  return (await run('docker', args, { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 })).stdout;
}

/** Both output streams of a container. */
export async function readContainerLog(container: string): Promise<string> {
  const { stdout, stderr } = await run('docker', ['logs', container], { maxBuffer: 64 * 1024 * 1024 });
  return stdout + stderr;
}

function targetCompose(): string {
  const health = { interval: '1s', timeout: '5s', retries: 30, start_period: '60s' };
  const app = {
    image,
    command: ['example-target'],
    restart: 'unless-stopped',
    environment: {
      ...{ HOST: '0.0.0.0', PORT: '3100', API_TOKEN: secrets.api },
      DATABASE_URL: `postgres://signing:${secrets.owner}@db:5432/signing`,
    },
    depends_on: { db: { condition: 'service_healthy' } },
    healthcheck: { test: ['CMD', 'vp', 'example-target', '--health'], ...health },
  };
  const db = {
    image: 'postgres:16',
    restart: 'unless-stopped',
    environment: {
      ...{ POSTGRES_DB: 'signing', POSTGRES_USER: 'signing', POSTGRES_PASSWORD: secrets.owner },
      ...{ READER_USER: 'signing_reader', READER_PASSWORD: secrets.reader },
    },
    volumes: [`${resolve('compose/example/database')}:/docker-entrypoint-initdb.d:ro`],
    healthcheck: { test: ['CMD', 'pg_isready', '-q', '-h', '127.0.0.1', '-U', 'signing', '-d', 'signing'], ...health },
  };
  return JSON.stringify({ services: { app, db } });
}

function configFiles({ target, network }: TestInstanceNames, executorKey: string): Record<string, string> {
  const config = readFileSync('compose/example/product/platform-config.yaml', 'utf8')
    .replace('compose_project: document-signing', `compose_project: ${target}`)
    .replace('network: document-signing', `network: ${network}`);
  return {
    'platform-config.yaml': config,
    '.env': `API_TOKEN=${secrets.api}\nDATABASE_PASSWORD=${secrets.reader}\n`,
    'executor.key': executorKey,
    'scrape.key': scrapeKey,
    'direct.key': directKey,
  };
}

/** Secrets that must be nowhere but in the volume. */
export const hiddenSecrets = [secrets.api, secrets.reader, scrapeKey, directKey];

const silentLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** A control plane in this process, with its socket for containers. */
async function startTestControlPlane(t: Test, folder: string) {
  const { environment } = memoryEnvironment();
  const open = (port: number) =>
    startControlPlane({ environment, folder, host: '127.0.0.1', port, executorSocket: true, log: silentLog });
  let running = await open(0);
  const { url, ownerKey } = running;
  t.teardown(() => running.close());
  const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
  const client = createClient({ baseUrl: url, token: ownerKey, fetch, pause });
  return {
    client,
    stop: () => running.close(),
    start: async () => {
      running = await open(Number(new URL(url).port));
    },
  };
}

/** Removes leftovers of a killed test. */
async function removeLeftovers(engine: ContainerEngine, names: TestInstanceNames): Promise<void> {
  await removeComposeProject(engine, { name: names.project }, { volumes: true });
  await removeComposeProject(engine, { name: names.target }, { volumes: true });
  await docker('network', 'rm', '--force', names.shared).catch(() => undefined);
}

/** A running instance; `address` is the executor's on this machine. */
export type TestInstance = {
  readonly names: TestInstanceNames;
  readonly engine: ContainerEngine;
  readonly client: Client;
  readonly controlPlane: { stop(): Promise<void>; start(): Promise<void> };
  readonly address: string;
  /** Text of the instance's compose file. */
  readonly composeText: string;
};

export type TestInstanceOptions = {
  /** Unique among instances that run at the same time. */
  readonly name?: string;
  /** Outside of the port range of real executors. */
  readonly port?: number;
  /** Called before the instance starts. */
  readonly prepare?: (engine: ContainerEngine, names: TestInstanceNames) => Promise<void>;
};

/** Starts the target's project from a folder of its own. */
async function startTarget(
  engine: ContainerEngine,
  folder: string,
  { target, shared }: TestInstanceNames,
): Promise<void> {
  const targetFolder = join(folder, 'target');
  mkdirSync(targetFolder);
  writeFileSync(join(targetFolder, 'compose.yaml'), targetCompose());
  await docker('network', 'create', shared);
  await startComposeProject(engine, { name: target, folder: targetFolder });
}

/** The probe must select the socket and reject an unreachable address. */
async function selectSocketEndpoint(t: Test, engine: ContainerEngine, { network }: TestInstanceNames, data: string) {
  const socketEndpoint = { kind: 'socket', folder: join(getExecutorSocketPath(data), '..') } as const;
  const candidates = [{ kind: 'url', url: 'http://host.docker.internal:1' } as const, socketEndpoint];
  const { endpoint, rejected: refused } = await selectEndpoint(engine, { image, network, candidates });
  t.equal(endpoint, socketEndpoint, 'the probe finds the socket');
  t.equal(refused.length, 1);
  return socketEndpoint;
}

export async function startTestInstance(t: Test, options: TestInstanceOptions = {}): Promise<TestInstance> {
  const { port = 23_765, prepare } = options;
  const names = createNames(options.name ?? 'stage');
  const folder = createLogFolder(t);
  const engine = await openEngine({ variables: process.env, platform: process.platform });
  await removeLeftovers(engine, names);
  t.teardown(() => removeLeftovers(engine, names));
  await startTarget(engine, folder, names);
  const data = join(folder, 'data');
  mkdirSync(data);
  const controlPlaneServer = await startTestControlPlane(t, data);
  const controlPlane = await selectSocketEndpoint(t, engine, names, data);
  const { executor_key } = await controlPlaneServer.client.instances.create({ instance_id: names.instance });
  await writeInstanceConfig(engine, { instanceId: names.instance, image, files: configFiles(names, executor_key) });
  await prepare?.(engine, names);
  const stack = buildInstanceStack({
    instanceId: names.instance,
    ...{ image, port, network: names.network, shared: names.shared, composeProject: names.target, controlPlane },
    engineSocket: engine.info.socketFile,
    socketGroup: await readSocketGroup(engine, image),
    selinux: engine.info.selinux,
  });
  const composeText = stack.files['compose.yaml'] ?? '';
  const stackFolder = join(folder, 'stack');
  mkdirSync(stackFolder);
  writeFileSync(join(stackFolder, 'compose.yaml'), composeText);
  await startComposeProject(engine, { name: stack.name, folder: stackFolder });
  return {
    names,
    engine,
    client: controlPlaneServer.client,
    controlPlane: controlPlaneServer,
    address: `http://127.0.0.1:${port}`,
    composeText,
  };
}
