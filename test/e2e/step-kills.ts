/**
 * kill -9 of the executor at every request of a scenario with five steps and two requests of cleanup, before and after its
 * answer: each request arrives at most once, and each of the cleanup arrives or is reported.
 */
import { join } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Client } from '../../src/client/client.ts';
import type { RunDocument } from '../../src/contract/api.ts';
import { eventually } from '../eventually.ts';
import { createSeededRandom, type SeededRandom } from '../storm/seeded-random.ts';
import { getHeader, respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { createOwnerClient, listeningUrl, type Sandbox } from './process-sandbox.ts';
import type { RunningProcess } from './processes.ts';

const maxDelayMs = 12;
const instance = 'shop';
const scenarioId = 'RT-GET-chain';
const stepPaths = ['/s1', '/s2', '/s3', '/s4', '/s5'];
const cleanupPaths = ['/c1', '/c2'];
const paths = [...stepPaths, '/trigger', ...cleanupPaths];

function step(path: string, more: readonly string[] = []): string {
  return [`### send ${path}`, `POST \${INGESTION_URL}${path}`, ['- status=200', ...more].join('\n')].join('\n\n');
}

/** The first cleanup needs what the first step captured. */
const scenarioText = [
  '# Scenario: GET chain',
  `## Metadata\n\n- ID: ${scenarioId}\n- Layer: HTTP Ingestion`,
  '## STEPS',
  step('/s1', ['- capture id = body.id']),
  ...stepPaths.slice(1).map((path) => step(path)),
  '## TRIGGER\n\nGET ${INGESTION_URL}/trigger\nX-Request-Id: ${correlation_id}',
  '## EXPECT\n\n### Runnable\n\n- status=200\n- body has id',
  '## TIMEOUT\n\n60s',
  '## CLEANUP',
  '### remove first\n\nDELETE ${INGESTION_URL}/c1\nX-Id: ${id}\n\n- status=200',
  '### remove second\n\nDELETE ${INGESTION_URL}/c2\n\n- status=200',
  '',
].join('\n\n');

/** Where the executor is killed: at a request, `request` before its answer, `answer` after it. */
type KillPoint = { readonly path: string; readonly at: 'request' | 'answer' };

const killPoints: readonly KillPoint[] = paths.flatMap((path) => [
  { path, at: 'request' },
  { path, at: 'answer' },
]);

/** Kills that visit every boundary once. */
export const boundaryCount = killPoints.length;

async function startTarget() {
  let point: KillPoint | undefined;
  let reached = Promise.withResolvers<void>();
  const log: { readonly run: string; readonly path: string }[] = [];
  const answer = respondWithJson({ id: 'order-7' });
  const target = await startHttpTarget((request, response, arrived) => {
    const path = arrived.url;
    log.push({ run: getHeader(arrived, 'x-correlation-id') ?? 'none', path });
    const isPoint = point?.path === path;
    if (isPoint && point?.at === 'request') {
      point = undefined;
      reached.resolve();
      return;
    }
    if (isPoint) {
      point = undefined;
      response.once('finish', () => reached.resolve());
    }
    answer(request, response, arrived);
  });
  return {
    origin: target.origin,
    log,
    close: () => target.close(),
    /** Resolves when the next run has reached the point. */
    stopAt(next: KillPoint): Promise<void> {
      point = next;
      reached = Promise.withResolvers();
      return reached.promise;
    },
  };
}

type Roles = { readonly sandbox: Sandbox; readonly lifetimeMs: number };

function startExecutor({ sandbox, lifetimeMs }: Roles, controlPlane: string, key: string): RunningProcess {
  const data = join(sandbox.folder, 'executor');
  const product = join(sandbox.folder, 'product');
  const args = ['executor', '--json', '--port', '0', '--data', data, '--product-dir', product];
  return sandbox.vp([...args, '--control-plane', controlPlane], { variables: { VP_EXECUTOR_KEY: key }, lifetimeMs });
}

async function startControlPlane({ sandbox, lifetimeMs }: Roles) {
  const data = join(sandbox.folder, 'plane');
  const running = sandbox.vp(['serve', '--json', '--port', '0', '--data', data], { lifetimeMs });
  return { data, url: await listeningUrl(running) };
}

/** The run with its own report, or with the one that its executor handed in after a crash. */
async function waitForReport(client: Client, runId: string, timeoutMs: number): Promise<RunDocument> {
  return eventually(() => client.runs.get(runId, { waitMs: 5000 }), {
    timeoutMs,
    until: (run) => run.finished_at !== null && (run.failure_kind !== 'executor_lost' || run.late_report !== null),
    description: `the report of ${runId}`,
  });
}

/** How the cleanup of one killed run ended, by request, and what was wrong. */
type KillResult = { readonly outcomes: readonly string[]; readonly problems: readonly string[] };

function checkRun(run: RunDocument, arrived: readonly string[], { path, at }: KillPoint): KillResult {
  const report = run.late_report ?? run.report;
  const cleanup = report?.cleanup ?? [];
  const isBeforeCleanup = at === 'request' && !cleanupPaths.includes(path);
  const problems = [
    ...paths
      .filter((each) => arrived.filter((other) => other === each).length > 1)
      .map((each) => `${each} arrived more than once`),
    ...(cleanup.length === cleanupPaths.length ? [] : [`${cleanup.length} requests of the cleanup are reported`]),
    ...cleanupPaths.flatMap((each, index) => {
      if (arrived.includes(each)) return [];
      const { outcome, problem } = cleanup[index] ?? {};
      const isReported = outcome === 'not_sent' || outcome === 'not_known';
      if (!isReported) return [`${each} did not arrive, and is reported as ${outcome}`];
      return typeof problem === 'string' ? [] : [`${each} is reported as ${outcome} without the reason`];
    }),
    // After an answer the executor goes on until it is killed: it may have noted a request of the cleanup and not sent it. That
    // one is reported as not known, because sending it could do its work twice.
    ...(isBeforeCleanup && !arrived.includes('/c2') ? ['the next start did not clean up'] : []),
  ];
  return {
    outcomes: cleanup.map(({ outcome }) => String(outcome)),
    problems: problems.map((problem) => `killed at ${path} (${at}), ${run.run_id}: ${problem}`),
  };
}

/** Every boundary once, in an order of the seed. */
function shufflePoints(random: SeededRandom): KillPoint[] {
  return killPoints
    .map((point) => ({ point, order: random.fraction() }))
    .sort((a, b) => a.order - b.order)
    .map(({ point }) => point);
}

export type StepKills = {
  readonly kills: number;
  readonly requests: number;
  /** Requests of the cleanup by the outcome in their reports. */
  readonly cleanups: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
};

export type StepKillOptions = {
  readonly kills: number;
  readonly seed: number;
  /** For how long the processes may live. */
  readonly lifetimeMs: number;
  /** How long a report may take after a kill, with the next start of the executor. */
  readonly reportTimeoutMs: number;
  readonly onKill?: (count: number, problems: number) => void;
};

/** Runs the scenario `kills` times and kills its executor each time. The processes belong to the sandbox. */
export async function playStepKills(
  sandbox: Sandbox,
  { kills, seed, lifetimeMs, reportTimeoutMs, onKill = () => {} }: StepKillOptions,
): Promise<StepKills> {
  const roles = { sandbox, lifetimeMs };
  const random = createSeededRandom(seed);
  const target = await startTarget();
  const cleanups: Record<string, number> = {};
  const problems: string[] = [];
  try {
    const plane = await startControlPlane(roles);
    const client = createOwnerClient(plane);
    sandbox.write(
      'product/platform-config.yaml',
      `project: {name: shop}\ntargets:\n  http: {base_url: "${target.origin}"}\n`,
    );
    const { executor_key: key } = await client.instances.create({ instance_id: instance });
    await client.scenarios.write(instance, scenarioId, { text: scenarioText });
    let executor = startExecutor(roles, plane.url, key);
    await listeningUrl(executor);
    let points: KillPoint[] = [];
    for (let count = 1; count <= kills; count += 1) {
      if (points.length === 0) points = shufflePoints(random);
      const point = points.pop() ?? { path: '/s1', at: 'request' };
      const reached = target.stopAt(point);
      const [requested] = await client.runs.request(instance, { scenarios: [{ id: scenarioId }] });
      if (!requested) throw new Error('no run was requested');
      await reached;
      // Meanwhile the next request is noted, sent or answered.
      if (point.at === 'answer') await sleepFor(random.integer(0, maxDelayMs));
      await executor.kill();
      executor = startExecutor(roles, plane.url, key);
      const run = await waitForReport(client, requested.run_id, reportTimeoutMs);
      const arrived = target.log.filter((entry) => entry.run === run.correlation_id).map((entry) => entry.path);
      const result = checkRun(run, arrived, point);
      problems.push(...result.problems);
      for (const outcome of result.outcomes) cleanups[outcome] = (cleanups[outcome] ?? 0) + 1;
      onKill(count, problems.length);
    }
    const { running, queued } = await client.instances.get(instance);
    if (running !== null || queued !== 0) problems.push('the instance is not idle');
  } finally {
    await target.close();
  }
  return { kills, requests: target.log.length, cleanups, problems };
}
