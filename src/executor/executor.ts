/**
 * The executor: registers with the control plane, executes leased and direct runs, hands in reports, stops in order.
 */
import type { ControlPort, HelloResponse } from '../contract/executor-api.ts';
import { executorProtocol } from '../contract/executor-api.ts';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { VpError } from '../errors/vp-error.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import type { Report } from '../report/report.ts';
import type { Database } from '../store/database.ts';
import {
  ControlCaller,
  type ExecutorLog,
  isControlStoreStale,
  isInstanceRemoved,
  isSuperseded,
} from './control-plane/control-caller.ts';
import { exchangeHello } from './control-plane/exchange-hello.ts';
import type { ExecutorContext } from './executor-context.ts';
import { LeaseLoop } from './leases/lease-loop.ts';
import { createOutbox, type Outbox } from './outbox/outbox.ts';
import type { RecoveredState } from './outbox/recovered-state.ts';
import { ReportUploader } from './outbox/report-uploader.ts';
import { retryStoreWrite } from './outbox/retry-store-write.ts';
import { DirectRuns } from './runs/direct-runs.ts';
import { recoverChains } from './runs/recover-chains.ts';
import type { Runner } from './runs/runner.ts';

/** `database` is an open store of `outboxStoreKind`; its owner closes it after the executor has ended. */
export type ExecutorOptions = {
  readonly control: ControlPort;
  /** The control plane is in this process, and has its store in a file: see `LeaseLoop`. */
  readonly isControlInProcess?: boolean | undefined;
  readonly runner: Runner;
  readonly database: Database;
  /** `fileIdentity` of the open store. */
  readonly fileIdentity?: string | undefined;
  readonly project: ProjectConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  /** The port for direct runs on this machine, when there is one. */
  readonly directPort?: number | undefined;
  readonly log: ExecutorLog;
};

/** `stopped`: by `stop`. `superseded`: another start of this instance's executor took over. */
export type ExecutorEndReason = 'stopped' | 'superseded' | 'removed';

/** `state` is `starting` until the control plane has accepted the `hello`. */
export type LocalExecutorStatus = {
  readonly state: 'starting' | 'idle' | 'running' | 'stopping' | ExecutorEndReason;
  readonly instance: string | undefined;
  readonly epoch: number | undefined;
  /** The leased run in progress. */
  readonly run: string | undefined;
  readonly directRun: boolean;
  /** Why the control plane is unreachable, or why the executor ended by itself; otherwise undefined. */
  readonly problem: string | undefined;
  /** Reports that wait to be handed in, and reports that the control plane refused. */
  readonly waiting: number;
  readonly refused: number;
};

export type Executor = {
  /** Runs a scenario text now; throws what `DirectRuns.run` throws. */
  runDirect(scenarioText: string): Promise<Report>;
  /** Sends a request between runs and stores nothing; throws what `DirectRuns.probe` throws. */
  probe(scenarioText: string, signal: AbortSignal): Promise<Report>;
  status(): Promise<LocalExecutorStatus>;
  /**
   * Settles when the executor has ended by itself or was stopped. Rejects when its store failed, and when the control
   * plane refuses the `hello`: CREDENTIAL_MISSING, CREDENTIAL_INVALID, CREDENTIAL_INSUFFICIENT, INSTANCE_UNKNOWN,
   * EXECUTOR_PROTOCOL_UNKNOWN.
   */
  readonly completion: Promise<ExecutorEndReason>;
  /**
   * Accepts no more work, finishes a run that has started, gives back one that has not, hands in reports for up to
   * `uploadMs` more. Resolves when nothing is in progress; reports that were not handed in remain in the store.
   */
  stop(uploadMs?: number): Promise<void>;
};

const endTexts: Readonly<Record<ExecutorEndReason, string>> = {
  stopped: 'stopped',
  superseded: 'been superseded',
  removed: 'ended with its instance',
};

/**
 * Starts at once; the control plane may become reachable later. Rejects with STORE_* when the store cannot be written.
 */
export async function startExecutor(options: ExecutorOptions): Promise<Executor> {
  const outbox = createOutbox(options.database);
  const recovered = await outbox.recover(options.random, options.fileIdentity);
  return new RunningExecutor(options, outbox, recovered);
}

class RunningExecutor implements Executor {
  readonly completion: Promise<ExecutorEndReason>;
  readonly #options: ExecutorOptions;
  readonly #stop = new AbortController();
  readonly #hardStop = new AbortController();
  readonly #context: ExecutorContext;
  readonly #directRuns: DirectRuns;
  readonly #reportUploader: ReportUploader;
  #recovered: RecoveredState;
  #welcome: HelloResponse | undefined;
  #leaseLoop: LeaseLoop | undefined;
  #endReason: ExecutorEndReason | undefined;
  #failure: string | undefined;

  constructor(options: ExecutorOptions, outbox: Outbox, recovered: RecoveredState) {
    const { control, runner, clock, random, log, project } = options;
    this.#options = options;
    this.#recovered = recovered;
    this.#context = {
      control,
      isControlInProcess: options.isControlInProcess ?? false,
      runner,
      outbox,
      clock,
      random,
      log,
      ...{ stopping: this.#stop.signal, hardStop: this.#hardStop.signal },
      controlCaller: new ControlCaller(clock, random, log),
      getEpoch: () => this.#welcome?.epoch,
    };
    this.#reportUploader = new ReportUploader(this.#context);
    this.#directRuns = new DirectRuns({
      context: this.#context,
      placeholders: project.names,
      getInstance: () => this.#welcome?.instance ?? this.#recovered.instance,
      getLeasedRun: () => this.#leaseLoop?.activeRun,
      onFinished: () => this.#reportUploader.schedule(),
      onUnstored: (report, text) => this.#reportUploader.handInUnstored(report, text),
    });
    this.completion = this.#runUntilEnd();
    this.completion.catch(() => {}); // Prevents an unhandled rejection when `completion` is not awaited.
  }

  runDirect(scenarioText: string): Promise<Report> {
    return this.#directRuns.run(scenarioText);
  }

  probe(scenarioText: string, signal: AbortSignal): Promise<Report> {
    return this.#directRuns.probe(scenarioText, signal);
  }

  async status(): Promise<LocalExecutorStatus> {
    const counts = await this.#context.outbox.counts().catch(() => ({ waiting: 0, refused: 0 }));
    const run = this.#leaseLoop?.activeRun;
    const directRun = this.#directRuns.isBusy;
    const workState = run !== undefined || directRun ? 'running' : 'idle';
    const currentState = this.#stop.signal.aborted ? 'stopping' : this.#welcome ? workState : 'starting';
    return {
      state: this.#endReason ?? currentState,
      instance: this.#welcome?.instance ?? this.#recovered.instance,
      epoch: this.#welcome?.epoch,
      run,
      directRun,
      problem: this.#failure ?? this.#context.controlCaller.problem,
      ...counts,
    };
  }

  async stop(uploadMs = 5000): Promise<void> {
    this.#stop.abort(new Error('the executor is stopping'));
    await this.#directRuns.whenIdle();
    await this.#leaseLoop?.idle();
    const stopTimer = this.#options.clock.after(uploadMs, () =>
      this.#hardStop.abort(new Error('the time for uploads is over')),
    );
    await Promise.allSettled([this.completion, this.#reportUploader.whenIdle()]);
    stopTimer();
  }

  async #runUntilEnd(): Promise<ExecutorEndReason> {
    try {
      while (await this.#serveUntilStale());
      this.#endReason = 'stopped';
    } catch (error) {
      if (isSuperseded(error)) this.#endReason = 'superseded';
      else if (isInstanceRemoved(error)) this.#endReason = 'removed';
      else if (this.#stop.signal.aborted) this.#endReason = 'stopped';
      else throw this.#fail(error);
    }
    this.#stop.abort(new Error(`the executor has ${endTexts[this.#endReason]}`));
    return this.#endReason;
  }

  /** True when the control plane's store turned out to be an older copy or a restored one: this process greets again, with what it holds. */
  async #serveUntilStale(): Promise<boolean> {
    const welcome = await this.#register();
    this.#welcome = welcome;
    await this.#recoverChains(welcome);
    this.#reportUploader.start(welcome);
    this.#leaseLoop = new LeaseLoop(this.#context, welcome, this.#directRuns);
    try {
      await this.#leaseLoop.run();
      return false;
    } catch (error) {
      if (!isControlStoreStale(error) || this.#stop.signal.aborted) throw error;
      this.#context.log.info({ problem: error.message }, 'the control plane was restored or went back; greeting again');
      const finished = await this.#context.outbox.finished();
      const position = this.#context.outbox.position();
      this.#recovered = { ...this.#recovered, position, instance: welcome.instance, abandoned: [], finished };
      return true;
    }
  }

  async #recoverChains(welcome: HelloResponse): Promise<void> {
    const { fileIdentity } = this.#options;
    const { isCopied } = this.#recovered;
    await recoverChains(this.#context, isCopied || welcome.stale_store === 'executor');
    if (!isCopied || fileIdentity === undefined) return;
    await retryStoreWrite(this.#context, () => this.#context.outbox.adoptFile(fileIdentity));
    this.#recovered = { ...this.#recovered, isCopied: false };
  }

  /**
   * After a refused `hello`, a failed store or an internal error: no more work is accepted, and `completion` rejects.
   */
  #fail(error: unknown): unknown {
    this.#endReason = 'stopped';
    this.#failure = error instanceof VpError ? error.message : String(error);
    const reason = error instanceof VpError ? { code: error.code, cure: error.cure } : {};
    this.#context.log.warn({ problem: this.#failure, ...reason }, 'the executor ended by itself');
    this.#stop.abort(error);
    return error;
  }

  async #register(): Promise<HelloResponse> {
    const { version, project, directPort } = this.#options;
    const { storeId, position, abandoned, finished } = this.#recovered;
    return exchangeHello(this.#context, {
      protocol: executorProtocol,
      executor_version: version,
      store_id: storeId,
      started: [...abandoned],
      finished: [...finished],
      target: project.targets.http.baseUrl,
      ...(directPort === undefined ? {} : { executor_port: directPort }),
      scenario_variables: [...project.scenarioVariables.keys()],
      journal: position,
    });
  }
}
