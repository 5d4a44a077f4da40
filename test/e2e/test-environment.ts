/** A target, a control plane and an executor for one instance, each of which may be killed and started again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Client } from '../../src/client/client.ts';
import type { Run, RunDocument } from '../../src/contract/api.ts';
import type { Report } from '../../src/report/report.ts';
import { eventually } from '../eventually.ts';
import { type GatedTarget, startGatedTarget } from './gated-target.ts';
import { type Gateway, startGateway } from './gateway.ts';
import type { RunningProcess } from './processes.ts';
import { createOwnerClient, listeningUrl, type Sandbox, type ServedControlPlane } from './sandbox.ts';

/** The instance of every environment. */
export const instance = 'shop';
/** Its scenario. */
export const scenarioId = 'RT-GET-document';

/** The text of a scenario with one status check and one of the body. */
export function scenarioText(id = scenarioId, count = '3'): string {
  return `# Scenario: GET documents

## Metadata

- ID: ${id}
- Layer: HTTP Ingestion
- Tags: smoke

## TRIGGER

GET \${INGESTION_URL}/api/v2/document
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

- status=200
- body has count equals ${count}

## TIMEOUT

60s
`;
}

/** The text of a config for a target. */
export function configText(origin: string): string {
  return `project: {name: shop}\ntargets:\n  http: {base_url: "${origin}"}\n`;
}

/** Roles in separate processes. Executors call the control plane through the gateway, the test calls it directly. */
export class TestEnvironment {
  readonly sandbox: Sandbox;
  readonly target: GatedTarget;
  readonly gateway: Gateway;
  controlPlane: ServedControlPlane;
  executor: RunningProcess | undefined;
  #executorFolder: string;
  #key = '';
  readonly #earlierRuns = new Set<string>();

  constructor(sandbox: Sandbox, target: GatedTarget, gateway: Gateway, controlPlane: ServedControlPlane) {
    this.sandbox = sandbox;
    this.target = target;
    this.gateway = gateway;
    this.controlPlane = controlPlane;
    this.#executorFolder = join(sandbox.folder, 'executor');
  }

  /** For tests that share it: the target, `listRuns` and stops know nothing of the test before, and a control plane runs. */
  async beginTest(): Promise<void> {
    this.gateway.liftAll();
    this.gateway.forwardTo(this.controlPlane.url);
    this.target.open();
    this.target.clear();
    if (this.controlPlane.running.hasEnded) await this.restartControlPlane();
    for (const { run_id } of await this.listRuns()) this.#earlierRuns.add(run_id);
  }

  /** The runs of this test, the newest first. */
  async listRuns() {
    const { items } = await this.client.runs.list({ limit: 200 });
    return items.filter(({ run_id }) => !this.#earlierRuns.has(run_id));
  }

  /** The control plane as it is now. */
  get client(): Client {
    return createOwnerClient(this.controlPlane);
  }

  get executorKey(): string {
    return this.#key;
  }

  async register(): Promise<void> {
    this.#key = (await this.client.instances.create({ instance_id: instance })).executor_key;
    await this.client.scenarios.write(instance, scenarioId, { text: scenarioText() });
  }

  /** Starts the control plane again on the same folder. */
  async restartControlPlane(leases: 'usual' | 'short' = 'usual'): Promise<void> {
    const { data } = this.controlPlane;
    this.controlPlane = await (leases === 'short' ? this.sandbox.serveShortLeases(data) : this.sandbox.serve(data));
    this.gateway.forwardTo(this.controlPlane.url);
  }

  /** Restarts it at the same address, for callers that do not use the gateway. */
  async restartControlPlaneInPlace(): Promise<void> {
    const { data, url } = this.controlPlane;
    this.controlPlane = await this.sandbox.serve(data, new URL(url).port);
  }

  async killControlPlane(): Promise<void> {
    await this.controlPlane.running.kill();
  }

  /** Starts an executor, by default with the folder of the previous one. */
  startExecutor(data = this.#executorFolder): RunningProcess {
    this.#executorFolder = data;
    const product = join(this.sandbox.folder, 'product');
    const args = ['executor', '--json', '--port', '0', '--data', data, '--product-dir', product];
    const variables = { VP_EXECUTOR_KEY: this.executorKey };
    this.executor = this.sandbox.vp([...args, '--control-plane', this.gateway.url], { variables });
    return this.executor;
  }

  /** Waits until the control plane knows that an executor is there, and starts one where none is running. */
  async startRegisteredExecutor(): Promise<RunningProcess> {
    const executor = this.executor?.hasEnded === false ? this.executor : this.startExecutor();
    await listeningUrl(executor);
    await this.waitForRegistration();
    return executor;
  }

  async waitForRegistration(): Promise<void> {
    await eventually(() => this.client.instances.get(instance), {
      until: ({ executor_status: status }) => status === 'REGISTERED',
      description: 'the executor is registered',
    });
  }

  async killExecutor(): Promise<void> {
    await this.executor?.kill();
    await eventually(() => this.gateway.countOpenCalls() === 0, {
      description: 'the calls of the executor have ended',
    });
    // By the second answer the control plane has noticed too: a poll that it takes for open could still get a run.
    for (const _ of [1, 2]) await this.client.instances.get(instance).catch(() => undefined);
  }

  /** Calls the executor directly; undefined if it ends before it responds. */
  async #callExecutor(executor: RunningProcess, path: string, body?: object): Promise<Response | undefined> {
    const url = await listeningUrl(executor);
    const key = readFileSync(join(this.#executorFolder, 'direct.key'), 'utf8').trim();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const post = { method: 'POST', body: JSON.stringify(body) };
    return fetch(`${url}${path}`, { headers, ...(body ? post : {}) }).catch(() => undefined);
  }

  /** Runs the scenario on the executor directly; undefined if it ends before it responds. */
  async runDirectly(executor: RunningProcess): Promise<Report | undefined> {
    const response = await this.#callExecutor(executor, '/v1/runs', { text: scenarioText() });
    const report: Report | undefined = await response?.json();
    return report;
  }

  /** Sends the executor a signal and waits until it is stopping. */
  async requestStop(executor: RunningProcess, signal: NodeJS.Signals): Promise<void> {
    executor.signal(signal);
    await this.waitForStopping(executor);
  }

  async waitForStopping(executor: RunningProcess): Promise<void> {
    await eventually(
      async () => {
        const response = await this.#callExecutor(executor, '/v1/status');
        const status: { state: string } | undefined = await response?.json();
        return status;
      },
      { until: (status) => !status || status.state === 'stopping', description: 'the executor is stopping' },
    );
  }

  /** Requests `count` runs; they are acknowledged when this resolves. */
  async requestRuns(count: number): Promise<readonly Run[]> {
    const scenarios = Array.from({ length: count }, () => ({ id: scenarioId }));
    return this.client.runs.request(instance, { scenarios });
  }

  /** The runs when all have ended. */
  async waitForRuns(runs: readonly Run[]): Promise<RunDocument[]> {
    const { client } = this;
    return Promise.all(
      runs.map(({ run_id }) =>
        eventually(() => client.runs.get(run_id, { waitMs: 5000 }), {
          until: ({ finished_at }) => finished_at !== null,
          description: `the end of ${run_id}`,
        }),
      ),
    );
  }

  /** Resolves when the run has this state. */
  async waitForState({ run_id }: Run, state: Run['state']): Promise<void> {
    await eventually(() => this.client.runs.get(run_id), {
      until: (run) => run.state === state,
      description: `${run_id} is ${state}`,
    });
  }
}

/** How an environment starts its control plane, by default as users do; see {@link startGatedTarget}. */
export type EnvironmentOptions = {
  readonly delayMs?: number;
  readonly serve?: () => Promise<ServedControlPlane>;
};

/** Starts a control plane that has no instance, or that registers one itself. */
export async function startUnregisteredEnvironment(
  t: Test,
  sandbox: Sandbox,
  { delayMs = 0, serve = () => sandbox.serve() }: EnvironmentOptions = {},
): Promise<TestEnvironment> {
  const target = await startGatedTarget(t, delayMs);
  const gateway = await startGateway(t);
  sandbox.write('product/platform-config.yaml', configText(target.origin));
  const controlPlane = await serve();
  gateway.forwardTo(controlPlane.url);
  return new TestEnvironment(sandbox, target, gateway, controlPlane);
}

/** Starts a control plane with a registered instance and its scenario, without an executor. */
export async function startTestEnvironment(
  t: Test,
  sandbox: Sandbox,
  options?: EnvironmentOptions,
): Promise<TestEnvironment> {
  const testEnvironment = await startUnregisteredEnvironment(t, sandbox, options);
  await testEnvironment.register();
  return testEnvironment;
}

/**
 * Asserts the invariants after any kill: every run has ended, all passed (those of `lost` failed as executor_lost),
 * none reached the target twice, those that passed reached it, and the instance is idle.
 */
export async function assertNothingLost(
  t: Test,
  testEnvironment: TestEnvironment,
  runs: readonly Run[],
  lost: readonly Run[] = [],
) {
  const ended = await testEnvironment.waitForRuns(runs);
  const lostIds = new Set(lost.map(({ run_id }) => run_id));
  for (const run of ended) {
    const sent = testEnvironment.target.log.filter((id) => id === run.correlation_id).length;
    if (lostIds.has(run.run_id)) {
      t.match(run, { state: 'failed', failure_kind: 'executor_lost', observed_status: null }, 'reported as lost');
      t.ok(sent <= 1, 'not sent twice');
    } else {
      const facts = { state: 'passed', result: 'passed', observed_status: 200, assertions_enforced_count: 1 };
      t.match(run, facts, 'passed');
      t.match(run.report, { run_id: run.run_id, result: 'passed' }, 'with its own report');
      t.equal(sent, 1, 'sent once');
    }
  }
  t.match(await testEnvironment.client.instances.get(instance), { running: null, queued: 0 }, 'the instance is idle');
  return ended;
}
