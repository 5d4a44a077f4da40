/** Opens the evidence sources of a target: its log and its database. */
import type { Environment } from '../../environment/environment.ts';
import { VpError } from '../../errors/vp-error.ts';
import { type MonitoredDatabase, monitorDatabase } from '../../executor/database/monitored-database.ts';
import { openTargetDatabase, type TargetDatabase } from '../../executor/database/target-database.ts';
import { type EvidenceSources, listGrantWarnings } from '../../executor/evidence/evidence-sources.ts';
import { createRedactor } from '../../executor/redaction/redactor.ts';
import type { LogSource } from '../../logs/log-source.ts';
import { openLogSource } from '../../logs/sources/open-log-source.ts';
import type { EvidenceAvailability } from '../../metrics/executor-metrics.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { ProcessLog } from '../process-log.ts';

/** `logSource` is the value of `--log` (see logs/open-source.ts), or an open log, which is closed with the rest. */
export type EvidenceSourceOptions = {
  readonly environment: Pick<Environment, 'streams' | 'clock' | 'cwd'>;
  readonly project: ProjectConfig;
  readonly logSource: string | LogSource | undefined;
  readonly extraRoots: readonly string[];
};

/** `state`: whether each source could be read at the last attempt; without sources that were not tried yet. */
export type OpenEvidenceSources = EvidenceSources & {
  state(): readonly EvidenceAvailability[];
  close(): Promise<void>;
};

/** Longest wait for the log before the first run, whose lines would be missed otherwise. */
const logReadyTimeoutMs = 2000;

/** Does not connect to the database yet. Rejects with LOG_SOURCE_INVALID, LOG_STDIN_TERMINAL. */
export async function openEvidenceSources(options: EvidenceSourceOptions): Promise<OpenEvidenceSources> {
  const { environment, project, logSource, extraRoots } = options;
  const { clock } = environment;
  const log =
    typeof logSource === 'string' ? await openLogSource(logSource, environment, project.logstore?.services) : logSource;
  await log?.ready(logReadyTimeoutMs);
  const { database: databaseTarget } = project.targets;
  const redact = createRedactor(project.secretValues).redactText;
  const database =
    databaseTarget && monitorDatabase(openTargetDatabase({ target: databaseTarget, clock, redact, extraRoots }), clock);
  return {
    log,
    database,
    state: () => [
      ...(log ? [{ source: 'log' as const, isUp: log.getProblem() === undefined }] : []),
      ...databaseState(database),
    ],
    async close() {
      await log?.close();
      await database?.close();
    },
  };
}

function databaseState(database: MonitoredDatabase | undefined): EvidenceAvailability[] {
  const isUp = database?.isReachable();
  return isUp === undefined ? [] : [{ source: 'database', isUp }];
}

/** Checks the grants of the database user once, and logs excessive ones, or why they could not be checked. */
export async function logDatabaseGrants(database: TargetDatabase, user: string, log: ProcessLog): Promise<void> {
  try {
    for (const { code, message, cure } of await listGrantWarnings(database, user)) log.warn({ code, cure }, message);
  } catch (error) {
    const logFields = error instanceof VpError ? { problem: error.message, cure: error.cure } : { err: error };
    log.warn(logFields, 'the grants of the target database could not be checked');
  }
}
