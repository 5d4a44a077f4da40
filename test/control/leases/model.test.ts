/**
 * Random interleavings of requests, polls, lost messages, crashes of either side, cancels, late reports and passing time
 * against the real control plane on a real store. After each step: nothing acknowledged is lost, nothing was sent twice,
 * at most one run is in progress, what ended stays as it ended.
 */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { Run } from '../../../src/contract/api.ts';
import { type OpenControl, openControl } from '../../../src/control/open-control.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { VpError } from '../../../src/errors/vp-error.ts';
import { canTransition, isFinalState, type RunState, runStates } from '../../../src/run/state.ts';
import { type FakeClock, fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { createMemoryFolder } from '../../memory-folder.ts';
import { isOnPostgres, openStoresUnderTest } from '../../store/engine-under-test.ts';
import { createScenarioText } from '../report-fixture.ts';
import { type Delivery, ModelExecutor } from './model-executor.ts';

const deliveries: readonly Delivery[] = ['delivered', 'delivered', 'delivered', 'request lost', 'answer lost'];
/** Frequencies. Most steps advance runs, so that failures hit them in every state. */
const weights = {
  ...{
    request: 6,
    hello: 6,
    poll: 12,
    wait: 4,
    handOver: 8,
    disconnect: 3,
    start: 12,
    finish: 8,
    upload: 10,
    heartbeat: 3,
    giveBack: 2,
  },
  ...{
    crash: 4,
    wipe: 2,
    cancel: 3,
    'short pause': 3,
    'long pause': 2,
    jump: 1,
    'restart control plane': 2,
    pollAsSuperseded: 1,
  },
} as const;
type Kind = keyof typeof weights;

type Step = { kind: Kind; delivery: Delivery; pick: number; rival: boolean };

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    ...Object.entries(weights).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) })),
  ),
  delivery: fc.constantFrom(...deliveries),
  pick: fc.nat(1000),
  rival: fc.nat(7).map((of8) => of8 === 0),
});

function isClosing(fault: unknown): boolean {
  return fault instanceof VpError && fault.code === 'STORE_CLOSED';
}

const endStates = ['passed', 'failed', 'cancelled'] as const;

/** Runs that the request itself leased. */
let handOffs = 0;

class ModelWorld {
  control: OpenControl;
  readonly clock: FakeClock;
  readonly folder: string;
  readonly executor: ModelExecutor;
  /** A second executor of the same instance, started by mistake; each hello supersedes the other. */
  readonly rival: ModelExecutor;
  readonly acknowledged: string[] = [];
  readonly ended = new Map<string, string>();
  readonly #reported = new Set<string>();
  readonly #states = new Map<string, RunState>();
  readonly #counted = { passed: 0, failed: 0, cancelled: 0 };

  private constructor(folder: string, clock: FakeClock, control: OpenControl) {
    this.folder = folder;
    this.clock = clock;
    this.control = control;
    const port = (): ReturnType<OpenControl['executorPort']> => this.control.executorPort('app');
    this.executor = new ModelExecutor(port, 'one', () => this.clock.monotonicMs(), true);
    // Of 0.4.0.
    this.rival = new ModelExecutor(port, 'two', () => this.clock.monotonicMs(), false);
  }

  static async open(folder: string): Promise<ModelWorld> {
    mkdirSync(folder);
    const clock = fakeClock();
    const control = await ModelWorld.#control(folder, clock);
    await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
    await control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
    return new ModelWorld(folder, clock, control);
  }

  static async #control(folder: string, clock: FakeClock): Promise<OpenControl> {
    const onFault = (fault: unknown): void => {
      if (!isClosing(fault)) throw fault;
    };
    const store = (await openStoresUnderTest(t, folder, { isControlOnly: true }))?.control;
    return await openControl({ folder, clock, random: systemRandom, pid: 1, onError: onFault, store });
  }

  async restart(): Promise<void> {
    await this.control.close();
    this.#countEnds();
    this.control = await ModelWorld.#control(this.folder, this.clock);
  }

  /** What the control plane that runs now has counted. */
  #countEnds(): void {
    const totals = this.control.gauges.totals();
    for (const state of endStates) this.#counted[state] += totals[state];
  }

  async request(count: number, key: string | undefined): Promise<void> {
    const scenarios = Array.from({ length: count }, () => ({ id: 'RT-GET-document' }));
    const runs = await this.control.runs.request('app', { scenarios }, { name: 'ana' }, key);
    const isNew = runs.some(({ run_id }) => !this.acknowledged.includes(run_id));
    for (const run of runs) if (!this.acknowledged.includes(run.run_id)) this.acknowledged.push(run.run_id);
    const [first] = runs;
    // A poll that is woken has not looked yet.
    if (isNew && first && (await this.control.runs.get(first.run_id)).state === 'in_progress') handOffs += 1;
  }

  /** A request while the executor waits with an empty queue, and what may happen until it is committed. */
  async handOver(executor: ModelExecutor, delivery: Delivery, pick: number): Promise<void> {
    await executor.workOff();
    executor.wait(delivery);
    // The poll's look at the queue comes first.
    for (let look = 0; look < 3; look += 1) await this.control.database.write(() => undefined);
    const requested = this.request(1 + (pick % 3), undefined);
    const [other] = [this.executor, this.rival].filter((candidate) => candidate !== executor);
    const meanwhile = [
      () => executor.disconnect(),
      () => executor.wait(delivery),
      () => executor.crash(),
      () => other?.hello(delivery),
    ];
    await meanwhile[pick % 8]?.();
    await requested;
  }

  async cancel(pick: number): Promise<void> {
    // The oldest run that has not ended is the one that may be leased.
    const open = this.acknowledged.filter((runId) => !this.ended.has(runId));
    const candidates = pick % 2 ? this.acknowledged : open.slice(0, 1);
    const runId = candidates[pick % Math.max(1, candidates.length)];
    if (runId === undefined) return;
    await this.control.runs.cancel(runId).catch((error: unknown) => {
      if (!(error instanceof VpError) || error.code !== 'RUN_FINAL') throw error;
    });
  }

  /** An epoch that does not exist must be refused. */
  async pollAsSuperseded(): Promise<void> {
    const port = this.control.executorPort('app');
    const refused = await port.poll({ epoch: 999_999, in_hand: null, wait_ms: 0 }).then(
      () => false,
      (error: unknown) => error instanceof VpError && error.code === 'EXECUTOR_SUPERSEDED',
    );
    if (!refused) throw new Error('another epoch was served');
  }

  async take({ kind, delivery, pick, rival }: Step): Promise<void> {
    const executor = rival ? this.rival : this.executor;
    if (kind === 'request') return this.request(1 + (pick % 3), pick % 2 ? `key-${pick}` : undefined);
    if (kind === 'handOver') return this.handOver(executor, delivery, pick);
    if (kind === 'disconnect') return executor.disconnect();
    if (kind === 'finish') return executor.finish(pick % 2 === 0);
    if (kind === 'crash') return executor.crash();
    if (kind === 'wipe') return executor.wipe();
    if (kind === 'cancel') return this.cancel(pick);
    if (kind === 'short pause') return this.clock.advance(pick * 10);
    if (kind === 'long pause') return this.clock.advance(25_000 + pick * 10);
    if (kind === 'jump') return this.clock.jump((pick - 500) * 1000);
    if (kind === 'restart control plane') return this.restart();
    if (kind === 'pollAsSuperseded') return this.pollAsSuperseded();
    return executor[kind](delivery);
  }

  async runs(): Promise<Run[]> {
    const page = await this.control.runs.list({ instance: 'app' }, { limit: 200 });
    return [...page.items];
  }

  async check(): Promise<void> {
    const faults = [...this.executor.faults, ...this.rival.faults].filter((fault) => !isClosing(fault));
    if (faults.length > 0) throw faults[0];
    const runs = await this.runs();
    const byId = new Map(runs.map((run) => [run.run_id, run]));
    for (const runId of this.acknowledged)
      if (!byId.has(runId)) throw new Error(`${runId} was acknowledged and is lost`);
    for (const [runId, times] of this.executor.sent)
      if (times + (this.rival.sent.get(runId) ?? 0) > 1) throw new Error(`${runId} was sent twice`);
    const running = runs.filter((run) => run.state === 'in_progress');
    if (running.length > 1) throw new Error('two runs are in progress');
    for (const run of runs) this.#checkEnd(run);
    for (const executor of [this.executor, this.rival]) {
      for (const runId of executor.acknowledged) await this.#checkReport(runId);
      this.#checkFences(executor);
    }
  }

  /** Between two checks a run may have gone through one more state, such as returned and leased again. */
  #checkWay(run: Run): void {
    const before = this.#states.get(run.run_id) ?? 'queued';
    this.#states.set(run.run_id, run.state);
    const between = runStates.filter((state) => state === before || canTransition(before, state));
    const allowed = between.some((state) => state === run.state || canTransition(state, run.state));
    if (!allowed) throw new Error(`${run.run_id} went from ${before} to ${run.state}`);
  }

  #checkEnd(run: Run): void {
    this.#checkWay(run);
    const before = this.ended.get(run.run_id);
    if (before !== undefined && before !== run.state) throw new Error(`${run.run_id} was ${before}, now ${run.state}`);
    if (isFinalState(run.state)) this.ended.set(run.run_id, run.state);
  }

  /** An acknowledged report is stored, as the run's report or as its late report. */
  async #checkReport(runId: string): Promise<void> {
    if (this.#reported.has(runId)) return;
    this.#reported.add(runId);
    const { report, late_report: late } = await this.control.runs.get(runId);
    const lost = report?.failure?.kind === 'executor_lost';
    if ((!report || lost) && !late) throw new Error(`the report of ${runId} was acknowledged and is lost`);
  }

  #checkFences({ fences }: ModelExecutor): void {
    for (const [index, fence] of fences.entries())
      if (index > 0 && fence <= (fences[index - 1] ?? 0)) throw new Error(`fences went back: ${fences}`);
  }

  /** Without further failures every run ends. */
  async settle(): Promise<void> {
    await this.rival.drain();
    await this.executor.drain();
    this.clock.advance(60_000);
    await this.executor.drain();
    this.#reported.clear();
    await this.check();
    // Ends of leases are written in the background.
    const listOpen = async () => (await this.runs()).filter((run) => !isFinalState(run.state));
    await eventually(listOpen, { until: (open) => open.length === 0, description: 'every run ends' });
    this.#countEnds();
    const runs = await this.runs();
    for (const state of endStates) {
      const stored = runs.filter((run) => run.state === state).length;
      const counted = this.#counted[state];
      if (stored !== counted) throw new Error(`${stored} runs are ${state}, and ${counted} are counted`);
    }
  }
}

async function play(folder: string, steps: readonly Step[]): Promise<void> {
  const world = await ModelWorld.open(folder);
  try {
    await world.request(3, undefined);
    await world.executor.hello('delivered');
    for (const nextStep of steps) {
      await world.take(nextStep);
      // Expired leases are written in the background: let them settle before looking.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      await world.check();
    }
    await world.settle();
  } finally {
    await world.control.close();
  }
}

t.test('no interleaving loses a run, sends it twice, or changes its final state', async (t) => {
  // In memory when there is such a folder: a game commits hundreds of times.
  const folder = createMemoryFolder('vp-model-');
  t.teardown(() => rmSync(folder, { recursive: true }));
  let games = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 120, size: 'max' }), async (steps) => {
    games += 1;
    await play(join(folder, String(games)), steps);
  });
  // Each commit waits for a server there.
  const numRuns = isOnPostgres ? 8 : 40;
  await fc.assert(property, { numRuns });
  t.ok(games >= numRuns);
  // There are two in a game on average, and by chance much fewer in eight games.
  t.ok(handOffs >= numRuns / 4, `requests leased ${handOffs} runs to a poll that waited`);
});
