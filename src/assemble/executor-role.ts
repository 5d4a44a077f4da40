/** The executor as a role: its store, its runner, its loop. */
import type { ControlPort } from '../contract/executor-api.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { createRunner, type Runner } from '../executor/execute.ts';
import { type Executor, startExecutor } from '../executor/executor.ts';
import { measuredRunner } from '../executor/measured-runner.ts';
import type { Witnesses } from '../executor/witnesses.ts';
import type { LogSource } from '../logs/log-source.ts';
import { executorMetrics } from '../metrics/executor-metrics.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { targetDispatcher } from '../outbound/target-dispatcher.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import { openOutboxStore } from '../store/outbox/open.ts';
import type { ProcessLog } from './process-log.ts';
import { type OpenWitnesses, openWitnesses, tellGrants } from './witnesses.ts';

/** `control` is the control plane in this process, or over HTTP. `extraRoots`: PEM certificates the target's may be signed by. */
export type ExecutorRoleOptions = {
  readonly environment: Environment;
  readonly control: ControlPort;
  readonly project: ProjectConfig;
  readonly folder: string;
  readonly extraRoots?: readonly string[];
  /** Told to the control plane, so that `vp run --direct` finds it. */
  readonly directPort?: number | undefined;
  /** What stands behind `--log`, or an open log: the target's; it is closed with the role. */
  readonly logFrom?: string | LogSource | undefined;
  /** Where its runs are counted; nowhere unless given. */
  readonly metrics?: Metrics | undefined;
  readonly log: ProcessLog;
};

/** A running executor, and the way to end it: finishes what has started, gives back what has not, closes the store. */
export type ExecutorRole = { readonly executor: Executor; readonly witnesses: Witnesses; close(): Promise<void> };

/** Starts on a folder of its own. Rejects with LOG_SOURCE_INVALID, LOG_STDIN_TERMINAL, STORE_IN_USE and what opening a store throws. */
export async function startExecutorRole(options: ExecutorRoleOptions): Promise<ExecutorRole> {
  const { environment, control, project, folder, log, directPort, extraRoots = [] } = options;
  const { clock, random, pid } = environment;
  const witnesses = await openWitnesses({ environment, project, logFrom: options.logFrom, extraRoots });
  const store = openOutboxStore(folder, pid);
  const { database } = store;
  const dispatcher = targetDispatcher({ extraRoots: [...extraRoots] });
  let started: Executor | undefined;
  const bare = createRunner({ project, dispatcher, clock, version, witnesses });
  const runner = options.metrics ? measured(bare, options.metrics, { clock, witnesses, started: () => started }) : bare;
  const executor = await startExecutor({ control, runner, database, project, clock, random, version, directPort, log });
  started = executor;
  const close = async (): Promise<void> => {
    await executor.stop();
    dispatcher.close();
    await witnesses.close();
    await store.close();
  };
  const { database: target } = project.targets;
  if (witnesses.database && target) void tellGrants(witnesses.database, target.username, log);
  return { executor, witnesses, close };
}

/** `started` is the executor, once there is one. */
function measured(
  runner: Runner,
  metrics: Metrics,
  {
    clock,
    witnesses,
    started,
  }: { clock: Environment['clock']; witnesses: OpenWitnesses; started: () => Executor | undefined },
) {
  const status = async () => {
    const now = await started()?.status();
    const isWell = now !== undefined && now.problem === undefined && now.state !== 'starting';
    return { instance: now?.instance, connected: isWell, reportsWaiting: now?.waiting ?? 0 };
  };
  const source = { status, witnesses: () => witnesses.state(), monotonicMs: () => clock.monotonicMs() };
  return measuredRunner(runner, executorMetrics(metrics, source));
}
