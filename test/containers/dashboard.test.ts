/** The project `platform-obs` on a real engine, beside an instance with a control plane: what is found, and what is said. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { startControlPlane } from '../../src/assemble/control-plane.ts';
import { executorSocketPath } from '../../src/assemble/executor-socket.ts';
import { createClient } from '../../src/client/client.ts';
import { waitForRun } from '../../src/client/wait-for-run.ts';
import { removeProject, startProject } from '../../src/containers/compose-project.ts';
import { type Engine, openEngine } from '../../src/containers/engine.ts';
import { volumesOfProject } from '../../src/containers/networks.ts';
import { instanceStack } from '../../src/onboarding/stacks/instance.ts';
import {
  type ObservabilityOptions,
  observabilityStack,
  placeObservability,
} from '../../src/onboarding/stacks/observability.ts';
import { placeConfig } from '../../src/onboarding/stacks/place-config.ts';
import { routerStack } from '../../src/onboarding/stacks/router.ts';
import { socketGroupOf } from '../../src/onboarding/stacks/socket-group.ts';
import type { Stack } from '../../src/onboarding/stacks/stack.ts';
import { scenarioText } from '../commands/workspace.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { folderFor } from '../logs/folder.ts';

const image = process.env.VP_IMAGE ?? 'vp:v0.4.0-slim';
const target = 'vp-test-watched';
const instanceId = 'test-watched';
const obs = 'vp-test-obs';
const ports = { dashboard: 23_300, prometheus: 23_301 };
const keys = { executors: `vps_${'e'.repeat(43)}`, apiToken: 'watchedApiToken1' };
const run = promisify(execFile);
const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

async function docker(...words: string[]): Promise<string> {
  return (await run('docker', words, { timeout: 120_000 })).stdout;
}

async function cleared(engine: Engine): Promise<void> {
  for (const name of [`platform-inst-${instanceId}`, 'vp-test-watched-router', target, obs])
    await removeProject(engine, { name }, { volumes: true });
}

/** Writes a stack's files below `folder` and starts it. */
async function up(engine: Engine, folder: string, stack: Stack): Promise<void> {
  const own = join(folder, stack.name);
  mkdirSync(own, { recursive: true });
  for (const [name, text] of Object.entries(stack.files)) writeFileSync(join(own, name), text);
  await startProject(engine, { name: stack.name, folder: own });
}

function targetStack(): Stack {
  const app = {
    image,
    command: ['example-target'],
    environment: { HOST: '0.0.0.0', PORT: '3100', API_TOKEN: keys.apiToken },
    healthcheck: { test: ['CMD', 'vp', 'example-target', '--health'], interval: '1s' },
  };
  const files = { 'compose.yaml': JSON.stringify({ services: { app } }) };
  return { name: target, files, volumes: [], networks: [], ports: [] };
}

async function watched(t: Test) {
  const folder = folderFor(t);
  const engine = await openEngine({ variables: process.env, platform: process.platform });
  await cleared(engine);
  t.teardown(() => cleared(engine));
  const data = join(folder, 'data');
  mkdirSync(data);
  const { environment } = memoryEnvironment();
  const where = { folder: data, host: '127.0.0.1', port: 0, executorSocket: true };
  const plane = await startControlPlane({ environment, ...where, log: silent });
  t.teardown(() => plane.close());
  const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
  const client = createClient({ baseUrl: plane.url, token: plane.ownerKey, fetch, pause });
  const controlPlane = { kind: 'socket', folder: join(executorSocketPath(data), '..') } as const;
  await up(engine, folder, targetStack());
  const startMs = Date.now();
  const options: ObservabilityOptions = { image, controlPlane, ports, name: obs };
  const controlPlaneKey = readFileSync(join(data, 'scrape.key'), 'utf8').trim();
  await placeObservability(engine, options, { executors: keys.executors, controlPlane: controlPlaneKey });
  await up(engine, folder, observabilityStack(options));
  t.comment(`up after ${Date.now() - startMs} ms`);
  return { engine, folder, client, controlPlane };
}

type Watched = Awaited<ReturnType<typeof watched>>;

async function startInstance({ engine, folder, client, controlPlane }: Watched): Promise<void> {
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
  };
  await placeConfig(engine, { instanceId, image, files });
  const stack = instanceStack({
    ...{ instanceId, image, controlPlane, shared: obs, composeProject: target },
    port: 23_302,
    network: `${target}_default`,
    engineSocket: engine.facts.socketFile,
    socketGroup: await socketGroupOf(engine, image),
    selinux: engine.facts.selinux,
  });
  await up(engine, folder, stack);
}

async function dashboard(path: string) {
  const answer = await fetch(`http://127.0.0.1:${ports.dashboard}${path}`);
  return { status: answer.status, body: await answer.json() };
}

async function targets(): Promise<Record<string, string>> {
  const answer = await fetch(`http://127.0.0.1:${ports.prometheus}/api/v1/targets`);
  const { data } = await answer.json();
  const active: { labels: { job: string }; health: string; lastError: string }[] = data.activeTargets;
  return Object.fromEntries(active.map(({ labels, health, lastError }) => [labels.job, lastError || health]));
}

async function until(holds: () => Promise<boolean>, seconds: number): Promise<number> {
  const startMs = Date.now();
  while (!(await holds())) {
    if (Date.now() - startMs > seconds * 1000) throw new Error(`not within ${seconds} s`);
    await new Promise((done) => setTimeout(done, 500));
  }
  return Date.now() - startMs;
}

const stateOf = async () => (await dashboard('/api/instances?range=1h')).body.instances?.[0]?.state;

t.test('the machine is watched over', async (t) => {
  const all = await watched(t);
  const { engine, client, folder } = all;

  await t.test('before there is an instance, the dashboard says so', async (t) => {
    t.match(await dashboard('/api/instances?range=1h'), { status: 200, body: { instances: [], alerts: [] } });
    const page = await fetch(`http://127.0.0.1:${ports.dashboard}/`);
    t.match(page.headers.get('content-security-policy'), "script-src 'self'");
    t.match(await page.text(), /assets\/main-/);
  });

  await t.test('an instance, the router and the control plane are found by themselves', async (t) => {
    await startInstance(all);
    await up(engine, folder, routerStack({ image, name: 'vp-test-watched-router', network: obs, port: 23_303 }));
    const tookMs = await until(async () => (await stateOf()) === 'connected', 60);
    t.comment(`seen after ${tookMs} ms`);
    await until(async () => Object.values(await targets()).every((health) => health === 'up'), 30).catch(() => {});
    t.match(await targets(), { 'vp-executors': 'up', 'vp-control-plane': 'up' });
  });

  await t.test('runs are counted, with their scenario', async (t) => {
    for (const expected of [200, 200, 201]) {
      const text = scenarioText('RT-GET-document', { checks: [`status=${expected}`] });
      const [run] = await client.runs.request(instanceId, { scenarios: [{ text }] });
      await waitForRun(client, run?.run_id ?? '');
    }
    await until(async () => {
      const { body } = await dashboard('/api/instances?range=1h');
      return (body.instances[0]?.runs ?? 0) >= 2.5;
    }, 40);
    // A scenario's first runs are told at the second scrape that sees them, an instance's at the first.
    await until(async () => (await dashboard('/api/scenarios?range=1h')).body.slowest.length > 0, 20);
    const { body } = await dashboard('/api/scenarios?range=1h');
    t.match(body.slowest, [{ instance: instanceId, scenario: 'RT-GET-document', runs: 3 }]);
    const { body: instances } = await dashboard('/api/instances?range=1h');
    t.ok(Math.abs(instances.instances[0].passed - 2 / 3) < 0.01);
    t.equal(instances.instances[0].queued, 0);
  });

  await t.test('an executor that is stopped is silent, and is there again when it is started', async (t) => {
    const executor = `platform-inst-${instanceId}-executor-1`;
    await docker('stop', executor);
    t.comment(`silent after ${await until(async () => (await stateOf()) === 'silent', 60)} ms`);
    await docker('start', executor);
    t.comment(`back after ${await until(async () => (await stateOf()) === 'connected', 60)} ms`);
  });

  await t.test('Prometheus gone: the dashboard says since when; back again, nothing is lost', async (t) => {
    const prometheus = `${obs}-prometheus-1`;
    await docker('stop', prometheus);
    await until(async () => (await dashboard('/api/instances?range=6h')).status === 502, 20);
    t.match((await dashboard('/api/instances?range=6h')).body, {
      code: 'PROMETHEUS_AWAY',
      detail: /has not answered at \S+ since \d{4}-\d\d-\d\dT/,
      cure: /start prometheus/,
    });
    await docker('start', prometheus);
    const tookMs = await until(async () => (await dashboard('/api/instances?range=6h')).status === 200, 30);
    t.comment(`back after ${tookMs} ms`);
    const { body } = await dashboard('/api/instances?range=24h');
    t.ok(body.instances[0].runs >= 2.5, 'the runs from before');
  });

  await t.test('containers may do no more than they must, and hold no secret in the open', async (t) => {
    for (const name of [`${obs}-prometheus-1`, `${obs}-dashboard-1`]) {
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

  await t.test('two containers, two volumes, one network; all of it goes', async (t) => {
    t.same(await volumesOfProject(engine, obs), [`${obs}_config`, `${obs}_metrics`]);
    const networks = await docker('network', 'ls', '--filter', `label=com.docker.compose.project=${obs}`, '--quiet');
    t.equal(networks.trim().split('\n').length, 1);
    await cleared(engine);
    t.same(await volumesOfProject(engine, obs), []);
  });
});

t.setTimeout(300_000);
