/** Opens the evidence sources of a target: its log and its database. What neither is configured for is not loaded. */
import type { Environment } from '../../environment/environment.ts';
import { VpError } from '../../errors/vp-error.ts';
import { type MonitoredDatabase, monitorDatabase } from '../../executor/database/monitored-database.ts';
import type { TargetDatabase } from '../../executor/database/target-database.ts';
import { type EvidenceSources, listGrantWarnings } from '../../executor/evidence/evidence-sources.ts';
import { createRedactor } from '../../executor/redaction/redactor.ts';
import type { LogSource } from '../../logs/log-source.ts';
import type { EvidenceAvailability } from '../../metrics/executor-metrics.ts';
import type { DatabaseTarget, ProjectConfig } from '../../project/project-config.ts';
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
  const log = typeof logSource === 'string' ? await openNamedLog(logSource, options) : logSource;
  await log?.ready(logReadyTimeoutMs);
  const { database: target } = project.targets;
  const openDatabase = async (databaseTarget: DatabaseTarget): Promise<TargetDatabase> => {
    const { openTargetDatabase } = await import('../../executor/database/target-database.ts');
    const redact = createRedactor(project.secretValues).redactText;
    return openTargetDatabase({ target: databaseTarget, clock, redact, extraRoots });
  };
  const database =
    target &&
    monitorDatabase(
      createLazyDatabase(() => openDatabase(target)),
      clock,
    );
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

async function openNamedLog(source: string, { environment, project }: EvidenceSourceOptions): Promise<LogSource> {
  const { openLogSource } = await import('../../logs/sources/open-log-source.ts');
  return openLogSource(source, environment, project.logstore?.services);
}

function databaseState(database: MonitoredDatabase | undefined): EvidenceAvailability[] {
  const isUp = database?.isReachable();
  return isUp === undefined ? [] : [{ source: 'database', isUp }];
}

/** `open` is called at the first use: a run without a query loads and opens nothing. */
function createLazyDatabase(open: () => Promise<TargetDatabase>): TargetDatabase {
  let opened: Promise<TargetDatabase> | undefined;
  const getDatabase = (): Promise<TargetDatabase> => {
    opened ??= open();
    return opened;
  };
  return {
    query: async (query, options) => (await getDatabase()).query(query, options),
    describe: async () => (await getDatabase()).describe(),
    grants: async () => (await getDatabase()).grants(),
    // What could not be opened needs no closing; each query reported it.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
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
