/** A target, a control plane and the stack of one instance, as onboarding would start them; gone with the test. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { startControlPlane } from '../../src/assemble/control-plane.ts';
import { executorSocketPath } from '../../src/assemble/executor-socket.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { removeProject, startProject } from '../../src/containers/compose-project.ts';
import { type Engine, openEngine } from '../../src/containers/engine.ts';
import { chooseWay } from '../../src/onboarding/stacks/choose-way.ts';
import { instanceStack } from '../../src/onboarding/stacks/instance.ts';
import { placeConfig } from '../../src/onboarding/stacks/place-config.ts';
import { socketGroupOf } from '../../src/onboarding/stacks/socket-group.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { folderFor } from '../logs/folder.ts';

/** The image under test. */
export const image = process.env.VP_IMAGE ?? 'vp:v0.4.0-slim';
/** Names of a test's own, so that nothing of a person is met. */
export type Names = ReturnType<typeof namesOf>;

function namesOf(name: string) {
  const instance = `test-${name}`;
  const project = `platform-inst-${instance}`;
  return {
    ...{ target: `vp-test-${name}`, instance, shared: `vp-test-${name}-obs`, project },
    ...{ network: `vp-test-${name}_default`, app: `vp-test-${name}-app-1`, db: `vp-test-${name}-db-1` },
    ...{ executor: `${project}-executor-1`, reader: `${project}-log-reader-1` },
  };
}

/** Those of the stage that nobody named otherwise. */
export const names = namesOf('stage');
/** Key that the metrics are asked with. */
export const scrapeKey = `vps_${'s'.repeat(43)}`;

const secrets = { api: 'stageApiToken1234', owner: 'stageOwner1234', reader: 'stageReader1234' };
const run = promisify(execFile);

/** The engine's program, by hand. */
export async function docker(...words: string[]): Promise<string> {
  return (await run('docker', words, { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 })).stdout;
}

/** What a container has written, to both streams. */
export async function logOf(container: string): Promise<string> {
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

function configFiles({ target, network }: Names, executorKey: string): Record<string, string> {
  const config = readFileSync('compose/example/product/platform-config.yaml', 'utf8')
    .replace('compose_project: document-signing', `compose_project: ${target}`)
    .replace('network: document-signing', `network: ${network}`);
  return {
    'platform-config.yaml': config,
    '.env': `API_TOKEN=${secrets.api}\nDATABASE_PASSWORD=${secrets.reader}\n`,
    'executor.key': executorKey,
    'scrape.key': scrapeKey,
  };
}

/** The secrets that must stand nowhere but in the volume. */
export const hidden = [secrets.api, secrets.reader, scrapeKey];

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** A control plane in this process, with its socket for containers. */
async function planeIn(t: Test, folder: string) {
  const { environment } = memoryEnvironment();
  const open = (port: number) =>
    startControlPlane({ environment, folder, host: '127.0.0.1', port, executorSocket: true, log: silent });
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

/** Leftovers of a test that was ended go first. */
async function cleared(engine: Engine, names: Names): Promise<void> {
  await removeProject(engine, { name: names.project }, { volumes: true });
  await removeProject(engine, { name: names.target }, { volumes: true });
  await docker('network', 'rm', '--force', names.shared).catch(() => undefined);
}

/** Everything up; `address` is the executor's on this machine. */
export type Stage = {
  readonly names: Names;
  readonly engine: Engine;
  readonly client: Client;
  readonly plane: { stop(): Promise<void>; start(): Promise<void> };
  readonly address: string;
  /** The compose text of the instance. */
  readonly text: string;
};

/** How a stage differs from the usual one. */
export type StageOptions = {
  /** Of the stage: no two that run at the same time have the same. */
  readonly name?: string;
  /** Outside of the range that executors of people take. */
  readonly port?: number;
  /** Called before the instance starts, for what stands in its way or beside it. */
  readonly prepare?: (engine: Engine, names: Names) => Promise<void>;
};

/** The target's project in a folder of its own, up. */
async function startTarget(engine: Engine, folder: string, { target, shared }: Names): Promise<void> {
  const own = join(folder, 'target');
  mkdirSync(own);
  writeFileSync(join(own, 'compose.yaml'), targetCompose());
  await docker('network', 'create', shared);
  await startProject(engine, { name: target, folder: own });
}

/** The probe finds the socket beside an address that leads nowhere. */
async function wayTo(t: Test, engine: Engine, { network }: Names, data: string) {
  const wanted = { kind: 'socket', folder: join(executorSocketPath(data), '..') } as const;
  const candidates = [{ kind: 'url', url: 'http://host.docker.internal:1' } as const, wanted];
  const { way, refused } = await chooseWay(engine, { image, network, candidates });
  t.equal(way, wanted, 'the probe finds the socket');
  t.equal(refused.length, 1);
  return wanted;
}

/** Starts it. */
export async function stage(t: Test, options: StageOptions = {}): Promise<Stage> {
  const { port = 23_765, prepare } = options;
  const names = namesOf(options.name ?? 'stage');
  const folder = folderFor(t);
  const engine = await openEngine({ variables: process.env, platform: process.platform });
  await cleared(engine, names);
  t.teardown(() => cleared(engine, names));
  await startTarget(engine, folder, names);
  const data = join(folder, 'data');
  mkdirSync(data);
  const plane = await planeIn(t, data);
  const controlPlane = await wayTo(t, engine, names, data);
  const { executor_key } = await plane.client.instances.create({ instance_id: names.instance });
  await placeConfig(engine, { instanceId: names.instance, image, files: configFiles(names, executor_key) });
  await prepare?.(engine, names);
  const stack = instanceStack({
    instanceId: names.instance,
    ...{ image, port, network: names.network, shared: names.shared, composeProject: names.target, controlPlane },
    engineSocket: engine.facts.socketFile,
    socketGroup: await socketGroupOf(engine, image),
    selinux: engine.facts.selinux,
  });
  const text = stack.files['compose.yaml'] ?? '';
  const stackFolder = join(folder, 'stack');
  mkdirSync(stackFolder);
  writeFileSync(join(stackFolder, 'compose.yaml'), text);
  await startProject(engine, { name: stack.name, folder: stackFolder });
  return { names, engine, client: plane.client, plane, address: `http://127.0.0.1:${port}`, text };
}
