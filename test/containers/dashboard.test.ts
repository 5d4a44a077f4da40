/** The dashboard project on a real engine, beside an instance with a control plane. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { startControlPlane } from '../../src/assemble/control-plane/control-plane.ts';
import { getExecutorSocketPath } from '../../src/assemble/control-plane/executor-socket.ts';
import { createClient } from '../../src/client/client.ts';
import { waitForRun } from '../../src/client/wait-for-run.ts';
import { removeComposeProject, startComposeProject } from '../../src/containers/compose-project.ts';
import { type ContainerEngine, openEngine } from '../../src/containers/engine.ts';
import { listProjectVolumes } from '../../src/containers/engine-resources.ts';
import { readSocketGroup } from '../../src/onboarding/compose/components/stack-files.ts';
import { buildInstanceStack } from '../../src/onboarding/compose/stacks/instance-stack.ts';
import {
  buildObservabilityStack,
  type ObservabilityStackOptions,
  writeObservabilityConfig,
} from '../../src/onboarding/compose/stacks/observability-stack.ts';
import { buildRouterStack } from '../../src/onboarding/compose/stacks/router-stack.ts';
import type { ComposeStack } from '../../src/onboarding/compose/stacks/stack.ts';
import { writeInstanceConfig } from '../../src/onboarding/compose/write-config.ts';
import { scenarioText } from '../commands/test-workspace.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { createLogFolder } from '../logs/log-folder.ts';
import { measureUntil } from './instance-runs.ts';

const image = process.env.VP_IMAGE ?? 'vp:v0.4.0-slim';
const target = 'vp-test-watched';
const instanceId = 'test-watched';
const observabilityProject = 'vp-test-obs';
const ports = { dashboard: 23_300, prometheus: 23_301 };
const keys = { executors: `vps_${'e'.repeat(43)}`, direct: `vpd_${'d'.repeat(43)}`, apiToken: 'watchedApiToken1' };
const run = promisify(execFile);
const silentLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

async function docker(...args: string[]): Promise<string> {
  return (await run('docker', args, { timeout: 120_000 })).stdout;
}

async function removeTestProjects(engine: ContainerEngine): Promise<void> {
  for (const name of [`platform-inst-${instanceId}`, 'vp-test-watched-router', target, observabilityProject])
    await removeComposeProject(engine, { name }, { volumes: true });
}

/** Writes a stack's files below `folder` and starts it. */
async function startStack(engine: ContainerEngine, folder: string, stack: ComposeStack): Promise<void> {
  const stackFolder = join(folder, stack.name);
  mkdirSync(stackFolder, { recursive: true });
  for (const [name, text] of Object.entries(stack.files)) writeFileSync(join(stackFolder, name), text);
  await startComposeProject(engine, { name: stack.name, folder: stackFolder });
}

function targetStack(): ComposeStack {
  const app = {
    image,
    command: ['example-target'],
    environment: { HOST: '0.0.0.0', PORT: '3100', API_TOKEN: keys.apiToken },
    healthcheck: { test: ['CMD', 'vp', 'example-target', '--health'], interval: '1s' },
  };
  const files = { 'compose.yaml': JSON.stringify({ services: { app } }) };
  return { name: target, files, volumes: [], networks: [], ports: [] };
}

async function startWatchedMachine(t: Test) {
  const folder = createLogFolder(t);
  const engine = await openEngine({ variables: process.env, platform: process.platform });
  await removeTestProjects(engine);
  t.teardown(() => removeTestProjects(engine));
  const data = join(folder, 'data');
  mkdirSync(data);
  const { environment } = memoryEnvironment();
  const startOptions = { folder: data, host: '127.0.0.1', port: 0, executorSocket: true };
  const controlPlaneServer = await startControlPlane({ environment, ...startOptions, log: silentLog });
  t.teardown(() => controlPlaneServer.close());
  const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
  const client = createClient({ baseUrl: controlPlaneServer.url, token: controlPlaneServer.ownerKey, fetch, pause });
  const controlPlane = { kind: 'socket', folder: join(getExecutorSocketPath(data), '..') } as const;
  await startStack(engine, folder, targetStack());
  const startMs = Date.now();
  const options: ObservabilityStackOptions = { image, controlPlane, ports, name: observabilityProject };
  const controlPlaneKey = readFileSync(join(data, 'scrape.key'), 'utf8').trim();
  await writeObservabilityConfig(engine, options, { executors: keys.executors, controlPlane: controlPlaneKey });
  await startStack(engine, folder, buildObservabilityStack(options));
  t.comment(`up after ${Date.now() - startMs} ms`);
  return { engine, folder, client, controlPlane };
}

type WatchedMachine = Awaited<ReturnType<typeof startWatchedMachine>>;

async function startInstance({ engine, folder, client, controlPlane }: WatchedMachine): Promise<void> {
  const { executor_key: executorKey } = await client.instances.create({ instance_id: instanceId });
  const config = {
    project: { name: instanceId },
    targets: { http: { base_url: 'http://app:3100' }, auth: { type: 'bearer', bearer_token: '${API_TOKEN}' } },
  };
  const files = {
    'platform-config.yaml': JSON.stringify(config),
    '.env': `API_TOKEN=${keys.apiToken}\n`,
    'executor.key': executorKey,
    'scrape.key': keys.executors,
    'direct.key': keys.direct,
  };
  await writeInstanceConfig(engine, { instanceId, image, files });
  const stack = buildInstanceStack({
    ...{ instanceId, image, controlPlane, shared: observabilityProject, composeProject: target },
    port: 23_302,
    network: `${target}_default`,
    engineSocket: engine.info.socketFile,
    socketGroup: await readSocketGroup(engine, image),
    selinux: engine.info.selinux,
  });
  await startStack(engine, folder, stack);
}

async function fetchDashboard(path: string) {
  const response = await fetch(`http://127.0.0.1:${ports.dashboard}${path}`);
  return { status: response.status, body: await response.json() };
}

async function fetchTargets(): Promise<Record<string, string>> {
  const response = await fetch(`http://127.0.0.1:${ports.prometheus}/api/v1/targets`);
  const { data } = await response.json();
  const active: { labels: { job: string }; health: string; lastError: string }[] = data.activeTargets;
  return Object.fromEntries(active.map(({ labels, health, lastError }) => [labels.job, lastError || health]));
}

const getInstanceState = async () => (await fetchDashboard('/api/instances?range=1h')).body.instances?.[0]?.state;

t.test('the dashboard of a machine', async (t) => {
  const machine = await startWatchedMachine(t);
  const { engine, client, folder } = machine;

  await t.test('before there is an instance, the dashboard says so', async (t) => {
    t.match(await fetchDashboard('/api/instances?range=1h'), { status: 200, body: { instances: [], alerts: [] } });
    const page = await fetch(`http://127.0.0.1:${ports.dashboard}/`);
    t.match(page.headers.get('content-security-policy'), "script-src 'self'");
    t.match(await page.text(), /assets\/main-/);
  });

  await t.test('an instance, the router and the control plane are discovered', async (t) => {
    await startInstance(machine);
    await startStack(
      engine,
      folder,
      buildRouterStack({ image, name: 'vp-test-watched-router', network: observabilityProject, port: 23_303 }),
    );
    const elapsedMs = await measureUntil(async () => (await getInstanceState()) === 'connected', 60);
    t.comment(`seen after ${elapsedMs} ms`);
    await measureUntil(async () => Object.values(await fetchTargets()).every((health) => health === 'up'), 30).catch(
      () => {},
    );
    t.match(await fetchTargets(), { 'vp-executors': 'up', 'vp-control-plane': 'up' });
  });

  await t.test('runs are counted, with their scenario', async (t) => {
    for (const expected of [200, 200, 201]) {
      const text = scenarioText('RT-GET-document', { checks: [`status=${expected}`] });
      const [run] = await client.runs.request(instanceId, { scenarios: [{ text }] });
      await waitForRun(client, run?.run_id ?? '');
    }
    await measureUntil(async () => {
      const { body } = await fetchDashboard('/api/instances?range=1h');
      return (body.instances[0]?.runs ?? 0) >= 2.5;
    }, 40);
    // Runs of a scenario are counted from the second scrape that sees them, those of an instance from the first.
    await measureUntil(async () => (await fetchDashboard('/api/scenarios?range=1h')).body.slowest.length > 0, 20);
    const { body } = await fetchDashboard('/api/scenarios?range=1h');
    t.match(body.slowest, [{ instance: instanceId, scenario: 'RT-GET-document', runs: 3 }]);
    const { body: instances } = await fetchDashboard('/api/instances?range=1h');
    t.ok(Math.abs(instances.instances[0].passed - 2 / 3) < 0.01);
    t.equal(instances.instances[0].queued, 0);
  });

  await t.test('a stopped executor is silent, and connected again after its start', async (t) => {
    const executor = `platform-inst-${instanceId}-executor-1`;
    await docker('stop', executor);
    t.comment(`silent after ${await measureUntil(async () => (await getInstanceState()) === 'silent', 60)} ms`);
    await docker('start', executor);
    t.comment(`back after ${await measureUntil(async () => (await getInstanceState()) === 'connected', 60)} ms`);
  });

  await t.test('without Prometheus the dashboard says since when, and nothing is lost after its return', async (t) => {
    const prometheus = `${observabilityProject}-prometheus-1`;
    await docker('stop', prometheus);
    await measureUntil(async () => (await fetchDashboard('/api/instances?range=6h')).status === 502, 20);
    t.match((await fetchDashboard('/api/instances?range=6h')).body, {
      code: 'PROMETHEUS_AWAY',
      detail: /has not answered at \S+ since \d{4}-\d\d-\d\dT/,
      cure: /start prometheus/,
    });
    await docker('start', prometheus);
    const elapsedMs = await measureUntil(
      async () => (await fetchDashboard('/api/instances?range=6h')).status === 200,
      30,
    );
    t.comment(`back after ${elapsedMs} ms`);
    const { body } = await fetchDashboard('/api/instances?range=24h');
    t.ok(body.instances[0].runs >= 2.5, 'the runs from before');
  });

  await t.test('containers are confined and reveal no secret', async (t) => {
    for (const name of [`${observabilityProject}-prometheus-1`, `${observabilityProject}-dashboard-1`]) {
      const [facts] = JSON.parse(await docker('inspect', name));
      t.match(facts.Config.User, /^10001/);
      t.match(facts.HostConfig, {
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: [/no-new-privileges/],
        RestartPolicy: { Name: 'always' },
      });
      t.ok(facts.HostConfig.Memory > 0 && facts.HostConfig.PidsLimit > 0);
      t.equal(facts.State.Health.Status === 'unhealthy', false);
      t.notMatch(JSON.stringify(facts), keys.executors);
      for (const bound of Object.values<{ HostIp: string }[] | null>(facts.NetworkSettings.Ports).flat())
        t.equal(bound?.HostIp ?? '127.0.0.1', '127.0.0.1');
    }
    const cors = await fetch(`http://127.0.0.1:${ports.prometheus}/api/v1/query?query=up`, {
      headers: { origin: 'https://evil.example' },
    });
    t.equal(cors.headers.get('access-control-allow-origin'), null, 'no page of others reads it');
  });

  await t.test('two containers, two volumes, one network; all are removed', async (t) => {
    t.same(await listProjectVolumes(engine, observabilityProject), [
      `${observabilityProject}_config`,
      `${observabilityProject}_metrics`,
    ]);
    const networks = await docker(
      'network',
      'ls',
      '--filter',
      `label=com.docker.compose.project=${observabilityProject}`,
      '--quiet',
    );
    t.equal(networks.trim().split('\n').length, 1);
    await removeTestProjects(engine);
    t.same(await listProjectVolumes(engine, observabilityProject), []);
  });
});

t.setTimeout(300_000);
