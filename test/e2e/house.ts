/** A target, a control plane and an executor for one instance, each of which may be killed and started again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Client } from '../../src/client/client.ts';
import type { Run, RunDocument } from '../../src/contract/api.ts';
import type { Report } from '../../src/report/report.ts';
import { type GatedTarget, gatedTarget } from './gated-target.ts';
import { type Gateway, gateway } from './gateway.ts';
import { eventually, type Running } from './processes.ts';
import { listeningUrl, ownerOf, type ServedPlane, type Stage } from './stage.ts';

/** The instance of every house. */
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

/** Roles in processes of their own. Executors call the control plane through the gateway, the test calls it itself. */
export class House {
  readonly stage: Stage;
  readonly target: GatedTarget;
  readonly gateway: Gateway;
  plane: ServedPlane;
  executor: Running | undefined;
  #key = '';

  constructor(stage: Stage, target: GatedTarget, gate: Gateway, plane: ServedPlane) {
    this.stage = stage;
    this.target = target;
    this.gateway = gate;
    this.plane = plane;
  }

  /** The control plane as it is now. */
  get client(): Client {
    return ownerOf(this.plane);
  }

  get executorKey(): string {
    return this.#key;
  }

  async register(): Promise<void> {
    this.#key = (await this.client.instances.create({ instance_id: instance })).executor_key;
    await this.client.scenarios.write(instance, scenarioId, { text: scenarioText() });
  }

  /** Starts the control plane again on the same folder. */
  async restartPlane(leases: 'usual' | 'short' = 'usual'): Promise<void> {
    const { data } = this.plane;
    this.plane = await (leases === 'short' ? this.stage.serveShortLeases(data) : this.stage.serve(data));
    this.gateway.to(this.plane.url);
  }

  /** The same at the same address, for those who do not call through the gateway. */
  async restartPlaneInPlace(): Promise<void> {
    const { data, url } = this.plane;
    this.plane = await this.stage.serve(data, new URL(url).port);
  }

  async killPlane(): Promise<void> {
    await this.plane.running.kill();
  }

  /** Starts an executor, by default on the folder of the last one. */
  startExecutor(data = join(this.stage.folder, 'executor')): Running {
    const product = join(this.stage.folder, 'product');
    const args = ['executor', '--json', '--port', '0', '--data', data, '--product-dir', product];
    const variables = { VP_EXECUTOR_KEY: this.executorKey };
    this.executor = this.stage.vp([...args, '--control-plane', this.gateway.url], { variables });
    return this.executor;
  }

  /** Starts an executor and waits until the control plane knows that it is there. */
  async welcomeExecutor(): Promise<Running> {
    const executor = this.startExecutor();
    await listeningUrl(executor);
    await this.registered();
    return executor;
  }

  async registered(): Promise<void> {
    await eventually('the executor is there', async () => {
      const { executor_status: status } = await this.client.instances.get(instance);
      return status === 'REGISTERED' ? true : undefined;
    });
  }

  async killExecutor(): Promise<void> {
    await this.executor?.kill();
  }

  /** Calls the executor itself, with the key in its folder; undefined when it is gone before it answers. */
  async #callExecutor(executor: Running, path: string, body?: object): Promise<Response | undefined> {
    const url = await listeningUrl(executor);
    const key = readFileSync(join(this.stage.folder, 'executor', 'direct.key'), 'utf8').trim();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const post = { method: 'POST', body: JSON.stringify(body) };
    return fetch(`${url}${path}`, { headers, ...(body ? post : {}) }).catch(() => undefined);
  }

  /** Asks the executor itself to run the scenario; undefined when it is gone before it answers. */
  async runDirectly(executor: Running): Promise<Report | undefined> {
    const answer = await this.#callExecutor(executor, '/v1/runs', { text: scenarioText() });
    const report: Report | undefined = await answer?.json();
    return report;
  }

  /** Sends the executor a signal and waits until it has taken notice. */
  async tellToStop(executor: Running, signal: NodeJS.Signals): Promise<void> {
    executor.signal(signal);
    await eventually('the executor is stopping', async () => {
      const answer = await this.#callExecutor(executor, '/v1/status');
      const status: { state: string } | undefined = await answer?.json();
      return !status || status.state === 'stopping' ? true : undefined;
    });
  }

  /** Requests `count` runs; they are acknowledged when this resolves. */
  async request(count: number): Promise<readonly Run[]> {
    const scenarios = Array.from({ length: count }, () => ({ id: scenarioId }));
    return this.client.runs.request(instance, { scenarios });
  }

  /** The runs when all have ended. */
  async ended(runs: readonly Run[]): Promise<RunDocument[]> {
    const { client } = this;
    return Promise.all(
      runs.map(({ run_id }) =>
        eventually(`the end of ${run_id}`, async () => {
          const run = await client.runs.get(run_id, { waitMs: 5000 });
          return run.finished_at === null ? undefined : run;
        }),
      ),
    );
  }

  /** Resolves when the run has this state. */
  async inState({ run_id }: Run, state: Run['state']): Promise<void> {
    await eventually(`${run_id} is ${state}`, async () =>
      (await this.client.runs.get(run_id)).state === state ? true : undefined,
    );
  }
}

/** A house with a control plane, a registered instance and its scenario; no executor yet. See {@link gatedTarget}. */
export async function house(t: Test, stage: Stage, delayMs = 0): Promise<House> {
  const target = await gatedTarget(t, delayMs);
  const gate = await gateway(t);
  stage.write('product/platform-config.yaml', configText(target.origin));
  const plane = await stage.serve();
  gate.to(plane.url);
  const made = new House(stage, target, gate, plane);
  await made.register();
  return made;
}

/**
 * What must hold in the end, whoever was killed: every run has ended, all passed (those of `lost` failed as executor_lost),
 * none reached the target twice, those that passed reached it, and the instance is idle.
 */
export async function provesNothingLost(t: Test, at: House, runs: readonly Run[], lost: readonly Run[] = []) {
  const ended = await at.ended(runs);
  const lostIds = new Set(lost.map(({ run_id }) => run_id));
  for (const run of ended) {
    const sent = at.target.log.filter((id) => id === run.correlation_id).length;
    if (lostIds.has(run.run_id)) {
      t.match(run, { state: 'failed', failure_kind: 'executor_lost', observed_status: null }, 'lost, and said so');
      t.ok(sent <= 1, 'not sent twice');
    } else {
      const facts = { state: 'passed', result: 'passed', observed_status: 200, assertions_enforced_count: 1 };
      t.match(run, facts, 'passed');
      t.match(run.report, { run_id: run.run_id, result: 'passed' }, 'with its own report');
      t.equal(sent, 1, 'sent once');
    }
  }
  t.match(await at.client.instances.get(instance), { running: null, queued: 0 }, 'nothing is left over');
  return ended;
}
