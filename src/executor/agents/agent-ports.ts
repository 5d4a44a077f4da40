/** Implements the agents' ports with the parts of the executor. */

import type { AgentControl, AgentDatabase, AgentPorts, ProjectInfo } from '../../agents/ports.ts';
import type { Clock } from '../../environment/clock.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { Report } from '../../report/report.ts';
import { constantDelay, retry } from '../../timing/retry.ts';
import type { TargetDatabase } from '../database/target-database.ts';
import { listGrantWarnings } from '../evidence/evidence-sources.ts';
import type { Executor } from '../executor.ts';
import { createRedactor } from '../redaction/redactor.ts';

export type AgentPortsOptions = {
  readonly executor: Pick<Executor, 'probe' | 'status'>;
  readonly project: ProjectConfig;
  readonly database: TargetDatabase | undefined;
  readonly log: AgentPorts['log'];
  readonly checkConfig: AgentPorts['checkConfig'];
  readonly clock: Clock;
  readonly version: string;
};

/** Returns a function that builds the ports for one agent's connection to the control plane. */
export function createAgentPorts(options: AgentPortsOptions): (control: AgentControl) => AgentPorts {
  const { executor, project, database, log, checkConfig, clock, version } = options;
  const shared = {
    probe: (text: string, signal: AbortSignal) => probeWhenIdle(executor, clock, text, signal),
    database: database && toAgentDatabase(database, project.targets.database?.username ?? ''),
    log,
    project: toProjectFacts(project),
    checkConfig,
    clock,
    redact: createRedactor(project.secretValues).redactText,
    async executor() {
      const { state, run, problem, waiting, refused } = await executor.status();
      return { state, version, run, problem, reportsWaiting: waiting, reportsRefused: refused };
    },
  };
  return (control) => ({ control, ...shared });
}

/** How long a probe waits for a run to end, and the pause between attempts. */
const maxIdleWaitMs = 15_000;
const idlePauseMs = 100;

async function probeWhenIdle(
  executor: Pick<Executor, 'probe'>,
  clock: Clock,
  text: string,
  signal: AbortSignal,
): Promise<Report> {
  const deadlineMs = clock.monotonicMs() + maxIdleWaitMs;
  const isBusy = (error: unknown): boolean => error instanceof VpError && error.code === 'EXECUTOR_BUSY';
  const options = {
    backoff: constantDelay(idlePauseMs),
    shouldRetry: (error: unknown) => isBusy(error) && clock.monotonicMs() < deadlineMs,
    pause: (delayMs: number) => clock.sleep(delayMs, signal),
  };
  return retry(options, () => executor.probe(text, signal));
}

function toAgentDatabase(database: TargetDatabase, user: string): AgentDatabase {
  return {
    query: (sql, maxRows, signal) => database.query({ sql, values: [] }, { maxRows, signal }),
    describe: () => database.describe(),
    async warnings() {
      const warnings = await listGrantWarnings(database, user);
      return warnings.map(({ message: problem, cure }) => ({ problem, cure }));
    },
  };
}

function toProjectFacts({ project, targets, logstore, names }: ProjectConfig): ProjectInfo {
  return {
    name: project.name,
    targetUrl: targets.http.baseUrl,
    hasBearer: targets.auth !== undefined,
    hasDatabase: targets.database !== undefined,
    hasLogstore: logstore !== undefined,
    names,
  };
}
