/** What agents' tools work on, made of the executor's parts. */
import type { AgentControl, AgentDatabase, AgentPorts, ProjectFacts } from '../agents/ports.ts';
import type { Clock } from '../environment/clock.ts';
import { VpError } from '../errors/vp-error.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import type { Report } from '../report/report.ts';
import type { TargetDatabase } from './database/target-database.ts';
import type { Executor } from './executor.ts';
import { redactorOf } from './redact.ts';
import { grantWarnings } from './witnesses.ts';

/** The parts. */
export type AgentPortsOptions = {
  readonly executor: Pick<Executor, 'probe' | 'status'>;
  readonly project: ProjectConfig;
  readonly database: TargetDatabase | undefined;
  readonly log: AgentPorts['log'];
  readonly checkConfig: AgentPorts['checkConfig'];
  readonly clock: Clock;
  readonly version: string;
};

/** Ports for each agent's way to the control plane. */
export function agentPorts(options: AgentPortsOptions): (control: AgentControl) => AgentPorts {
  const { executor, project, database, log, checkConfig, clock, version } = options;
  const shared = {
    probe: (text: string, signal: AbortSignal) => probeWhenIdle(executor, clock, text, signal),
    database: database && databaseOf(database, project.targets.database?.username ?? ''),
    log,
    project: factsOf(project),
    checkConfig,
    clock,
    redact: redactorOf(project.secretValues).text,
    async executor() {
      const { state, run, problem, waiting, refused } = await executor.status();
      return { state, version, run, problem, reportsWaiting: waiting, reportsRefused: refused };
    },
  };
  return (control) => ({ control, ...shared });
}

/** How long a probe waits for the end of a run, and how often it looks. */
const idleWaitMs = 15_000;
const idlePauseMs = 100;

async function probeWhenIdle(
  executor: Pick<Executor, 'probe'>,
  clock: Clock,
  text: string,
  signal: AbortSignal,
): Promise<Report> {
  const startMs = clock.monotonicMs();
  for (;;) {
    try {
      return await executor.probe(text, signal);
    } catch (error) {
      const isBusy = error instanceof VpError && error.code === 'EXECUTOR_BUSY';
      if (!isBusy || clock.monotonicMs() - startMs >= idleWaitMs) throw error;
      await clock.sleep(idlePauseMs, signal);
    }
  }
}

function databaseOf(database: TargetDatabase, user: string): AgentDatabase {
  return {
    query: (sql, maxRows, signal) => database.query({ sql, values: [] }, { maxRows, signal }),
    describe: () => database.describe(),
    async warnings() {
      const warnings = await grantWarnings(database, user);
      return warnings.map(({ message: problem, cure }) => ({ problem, cure }));
    },
  };
}

function factsOf({ project, targets, logstore, names }: ProjectConfig): ProjectFacts {
  return {
    name: project.name,
    targetUrl: targets.http.baseUrl,
    hasBearer: targets.auth !== undefined,
    hasDatabase: targets.database !== undefined,
    hasLogstore: logstore !== undefined,
    names,
  };
}
