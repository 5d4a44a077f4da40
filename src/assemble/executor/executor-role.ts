/** The executor role: its store, its runner, its lease loop. */
import type { ControlPort, InstanceRunTotals } from '../../contract/executor-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { version } from '../../environment/version.ts';
import { observeRunTotals } from '../../executor/control-plane/observed-control.ts';
import { defaultEvidenceWaitTimes, type EvidenceWaitTimes } from '../../executor/evidence/collect-evidence.ts';
import type { EvidenceSources } from '../../executor/evidence/evidence-sources.ts';
import { type Executor, startExecutor } from '../../executor/executor.ts';
import { createMeasuredRunner } from '../../executor/runs/measured-runner.ts';
import { createRunner, type Runner } from '../../executor/runs/runner.ts';
import type { LogSource } from '../../logs/log-source.ts';
import { createExecutorMetrics } from '../../metrics/executor-metrics.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { createTargetDispatcher } from '../../outbound/target-dispatcher.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import { openOutboxStore } from '../../store/outbox/outbox-store.ts';
import type { ProcessLog } from '../process-log.ts';
import { logDatabaseGrants, type OpenEvidenceSources, openEvidenceSources } from './evidence-sources.ts';

/** `control` is the control plane in this process, or over HTTP. `extraRoots`: PEM certificates the target's may be signed by. */
export type ExecutorRoleOptions = {
  readonly environment: Environment;
  readonly control: ControlPort;
  /** See `ExecutorOptions`. */
  readonly isControlInProcess?: boolean;
  readonly project: ProjectConfig;
  readonly folder: string;
  readonly extraRoots?: readonly string[];
  /** Reported to the control plane, so that `vp run --direct` finds it. */
  readonly directPort?: number | undefined;
  /** The value of `--log`, or an open log of the target; closed with the role. */
  readonly logSource?: string | LogSource | undefined;
  readonly evidenceWaitTimes?: EvidenceWaitTimes | undefined;
  readonly metrics?: Metrics | undefined;
  readonly log: ProcessLog;
};

/** `close` finishes started runs, gives back leased ones, and closes the store. */
export type ExecutorRole = {
  readonly executor: Executor;
  readonly evidenceSources: EvidenceSources;
  close(): Promise<void>;
};

/** `folder` must be its own. Rejects with LOG_SOURCE_INVALID, LOG_STDIN_TERMINAL, STORE_IN_USE and other STORE_* errors. */
export async function startExecutorRole(options: ExecutorRoleOptions): Promise<ExecutorRole> {
  const { environment, control, project, folder, log, directPort, extraRoots = [] } = options;
  const { clock, random, pid } = environment;
  const evidenceSources = await openEvidenceSources({ environment, project, logSource: options.logSource, extraRoots });
  // The target may be about to create it, so that the role goes on.
  const logProblem = evidenceSources.log?.getProblem();
  if (logProblem)
    log.warn({ cure: logProblem.cure }, `the log of the target cannot be read yet: ${logProblem.problem}`);
  const store = openOutboxStore(folder, pid);
  const { database, loss, fileIdentity } = store;
  if (loss)
    log.warn({ err: loss }, 'the journal has lost its newest entries; runs that it does not know are not sent again');
  const dispatcher = createTargetDispatcher({ extraRoots: [...extraRoots] });
  let started: Executor | undefined;
  const { evidenceWaitTimes = defaultEvidenceWaitTimes } = options;
  const runner = createRunner({ project, dispatcher, clock, version, evidenceSources, evidenceWaitTimes });
  const totals = observeRunTotals(control);
  const measuredRunner = options.metrics
    ? createRunnerWithMetrics(runner, options.metrics, {
        ...{ clock, evidenceSources, started: () => started },
        runTotals: totals.read,
      })
    : runner;
  const executor = await startExecutor({
    control: totals.control,
    isControlInProcess: options.isControlInProcess,
    runner: measuredRunner,
    database,
    fileIdentity,
    project,
    clock,
    random,
    version,
    directPort,
    log,
  });
  started = executor;
  const close = async (): Promise<void> => {
    await executor.stop();
    dispatcher.close();
    await evidenceSources.close();
    await store.close();
  };
  const { database: databaseTarget } = project.targets;
  if (evidenceSources.database && databaseTarget)
    void logDatabaseGrants(evidenceSources.database, databaseTarget.username, log);
  return { executor, evidenceSources, close };
}

function createRunnerWithMetrics(
  measuredRunner: Runner,
  metrics: Metrics,
  {
    clock,
    evidenceSources,
    started,
    runTotals,
  }: {
    clock: Environment['clock'];
    evidenceSources: OpenEvidenceSources;
    started: () => Executor | undefined;
    runTotals: () => InstanceRunTotals | undefined;
  },
) {
  const status = async () => {
    const executorStatus = await started()?.status();
    const isConnected =
      executorStatus !== undefined && executorStatus.problem === undefined && executorStatus.state !== 'starting';
    return { instance: executorStatus?.instance, connected: isConnected, reportsWaiting: executorStatus?.waiting ?? 0 };
  };
  const source = {
    ...{ status, runTotals, evidenceSources: () => evidenceSources.state() },
    monotonicMs: () => clock.monotonicMs(),
  };
  return createMeasuredRunner(measuredRunner, createExecutorMetrics(metrics, source));
}
