/** The executor as one thing: greets the control plane, takes leased and direct runs, hands in reports, stops in order. */
import type { ControlPort, Welcome } from '../contract/executor-api.ts';
import { executorProtocol } from '../contract/executor-api.ts';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { VpError } from '../errors/vp-error.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import type { Report } from '../report/report.ts';
import type { Database } from '../store/database.ts';
import { DirectRuns } from './direct-runs.ts';
import type { Runner } from './execute.ts';
import { type ExecutorLog, Insistence, isSuperseded } from './insistence.ts';
import { LeaseLoop } from './lease-loop.ts';
import { type Inheritance, type Outbox, outboxOn } from './outbox.ts';
import { type ExecutorParts, refusesExecutor } from './session.ts';
import { insistOnStore } from './store-insistence.ts';
import { Uploads } from './uploads.ts';

/** What an executor is made of. `database` is an open store of `outboxStoreKind`; its owner closes it after the end. */
export type ExecutorOptions = {
  readonly control: ControlPort;
  readonly runner: Runner;
  readonly database: Database;
  readonly project: ProjectConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  /** Where it takes direct runs on its machine, when it does. */
  readonly directPort?: number | undefined;
  readonly log: ExecutorLog;
};

/** `stopped`: by `stop`. `superseded`: another start of this instance's executor took over. */
export type ExecutorEnd = 'stopped' | 'superseded';

/** How an executor is. `starting` until the control plane has welcomed it. */
export type ExecutorStatus = {
  readonly state: 'starting' | 'idle' | 'running' | 'stopping' | ExecutorEnd;
  readonly instance: string | undefined;
  readonly epoch: number | undefined;
  /** The leased run in hand. */
  readonly run: string | undefined;
  readonly directRun: boolean;
  /** Why the control plane is not reached, or why the executor ended by itself; undefined while all is well. */
  readonly problem: string | undefined;
  /** Reports that wait to be handed in, and reports that the control plane refused. */
  readonly waiting: number;
  readonly refused: number;
};

/** A running executor. */
export type Executor = {
  /** Runs a text now; see `DirectRuns.run` for what it throws. */
  runDirect(scenarioText: string): Promise<Report>;
  /** Sends a request between runs and keeps nothing; see `DirectRuns.probe` for what it throws. */
  probe(scenarioText: string, signal: AbortSignal): Promise<Report>;
  status(): Promise<ExecutorStatus>;
  /**
   * Settles when the executor has ended by itself or was stopped. Rejects when its store broke, and when the control plane
   * refuses the greeting: CREDENTIAL_MISSING, CREDENTIAL_INVALID, CREDENTIAL_INSUFFICIENT, INSTANCE_UNKNOWN,
   * EXECUTOR_PROTOCOL_UNKNOWN.
   */
  readonly ended: Promise<ExecutorEnd>;
  /**
   * Takes no more work, finishes a run that has started, gives back one that has not, hands in reports for up to
   * `uploadMs` more. Resolves when nothing is under way; what was not handed in waits in the store.
   */
  stop(uploadMs?: number): Promise<void>;
};

const greetingLimitMs = 20_000;

/** Starts at once; the control plane may come later. Rejects with STORE_* when the store cannot be written. */
export async function startExecutor(options: ExecutorOptions): Promise<Executor> {
  const outbox = outboxOn(options.database);
  const inheritance = await outbox.inherit(options.random);
  return new RunningExecutor(options, outbox, inheritance);
}

class RunningExecutor implements Executor {
  readonly ended: Promise<ExecutorEnd>;
  readonly #options: ExecutorOptions;
  readonly #stop = new AbortController();
  readonly #cut = new AbortController();
  readonly #parts: ExecutorParts;
  readonly #direct: DirectRuns;
  readonly #uploads: Uploads;
  #inheritance: Inheritance;
  #welcome: Welcome | undefined;
  #loop: LeaseLoop | undefined;
  #end: ExecutorEnd | undefined;
  #broken: string | undefined;

  constructor(options: ExecutorOptions, outbox: Outbox, inheritance: Inheritance) {
    const { control, runner, clock, random, log, project } = options;
    const signals = { stopping: this.#stop.signal, cut: this.#cut.signal };
    this.#options = options;
    this.#inheritance = inheritance;
    this.#parts = {
      control,
      runner,
      outbox,
      clock,
      random,
      log,
      ...signals,
      insistence: new Insistence(clock, random, log),
    };
    this.#uploads = new Uploads(this.#parts);
    this.#direct = new DirectRuns({
      parts: this.#parts,
      placeholders: project.names,
      instance: () => this.#welcome?.instance ?? this.#inheritance.instance,
      leased: () => this.#loop?.inHand,
      onFinished: () => this.#uploads.kick(),
    });
    this.ended = this.#live();
    this.ended.catch(() => {}); // Whoever waits for it hears of it; nobody has to.
  }

  runDirect(scenarioText: string): Promise<Report> {
    return this.#direct.run(scenarioText);
  }

  probe(scenarioText: string, signal: AbortSignal): Promise<Report> {
    return this.#direct.probe(scenarioText, signal);
  }

  async status(): Promise<ExecutorStatus> {
    const counts = await this.#parts.outbox.counts().catch(() => ({ waiting: 0, refused: 0 }));
    const run = this.#loop?.inHand;
    const directRun = this.#direct.busy;
    const working = run !== undefined || directRun ? 'running' : 'idle';
    const now = this.#stop.signal.aborted ? 'stopping' : this.#welcome ? working : 'starting';
    return {
      state: this.#end ?? now,
      instance: this.#welcome?.instance ?? this.#inheritance.instance,
      epoch: this.#welcome?.epoch,
      run,
      directRun,
      problem: this.#broken ?? this.#parts.insistence.problem,
      ...counts,
    };
  }

  async stop(uploadMs = 5000): Promise<void> {
    this.#stop.abort(new Error('the executor is stopping'));
    await this.#direct.idle();
    await this.#loop?.idle();
    const cancel = this.#options.clock.after(uploadMs, () =>
      this.#cut.abort(new Error('the time for uploads is over')),
    );
    await Promise.allSettled([this.ended, this.#uploads.settled()]);
    cancel();
  }

  async #live(): Promise<ExecutorEnd> {
    try {
      const welcome = await this.#greet();
      this.#welcome = welcome;
      this.#uploads.begin(welcome);
      this.#loop = new LeaseLoop(this.#parts, welcome, this.#direct);
      await this.#loop.run();
      this.#end = 'stopped';
    } catch (error) {
      if (isSuperseded(error)) this.#end = 'superseded';
      else if (this.#stop.signal.aborted) this.#end = 'stopped';
      else throw this.#break(error);
    }
    this.#stop.abort(new Error(`the executor has ${this.#end === 'stopped' ? 'stopped' : 'been superseded'}`));
    return this.#end;
  }

  /** A refused greeting, a broken store, or a fault of ours: no more work is taken, and `ended` tells. */
  #break(error: unknown): unknown {
    this.#end = 'stopped';
    this.#broken = error instanceof VpError ? error.message : String(error);
    const reason = error instanceof VpError ? { code: error.code, cure: error.cure } : {};
    this.#parts.log.warn({ problem: this.#broken, ...reason }, 'the executor ended by itself');
    this.#stop.abort(error);
    return error;
  }

  async #greet(): Promise<Welcome> {
    const { control, insistence, outbox, stopping } = this.#parts;
    const { version, project, directPort } = this.#options;
    const { storeId, abandoned, finished } = this.#inheritance;
    const message = {
      protocol: executorProtocol,
      executor_version: version,
      store_id: storeId,
      started: [...abandoned],
      finished: [...finished],
      target: project.targets.http.baseUrl,
      ...(directPort === undefined ? {} : { executor_port: directPort }),
      scenario_variables: [...project.scenarioVariables.keys()],
    };
    const trying = { limitMs: greetingLimitMs, signal: stopping, isFinal: refusesExecutor };
    const welcome = await insistence.call(trying, (signal) => control.hello(message, signal));
    await insistOnStore(this.#parts, () => outbox.greeted(welcome.instance));
    return welcome;
  }
}
