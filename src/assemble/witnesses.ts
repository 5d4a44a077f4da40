/** Opens what else tells of the target: the log that was named, the database that the config has. */
import type { Environment } from '../environment/environment.ts';
import { VpError } from '../errors/vp-error.ts';
import { openTargetDatabase, type TargetDatabase } from '../executor/database/target-database.ts';
import { redactorOf } from '../executor/redact.ts';
import { type WatchedDatabase, watchedDatabase } from '../executor/watched-database.ts';
import { grantWarnings, type Witnesses } from '../executor/witnesses.ts';
import type { LogSource } from '../logs/log-source.ts';
import { sourceOf } from '../logs/open-source.ts';
import type { WitnessState } from '../metrics/executor-metrics.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import type { ProcessLog } from './process-log.ts';

/** `logFrom` is what stands behind `--log` (see logs/open-source.ts), or an open log; it is closed with the rest. */
export type WitnessOptions = {
  readonly environment: Pick<Environment, 'streams' | 'clock' | 'cwd'>;
  readonly project: ProjectConfig;
  readonly logFrom: string | LogSource | undefined;
  readonly extraRoots: readonly string[];
};

/** Open witnesses. `state`: whether each could be read when it was last looked at; none that nobody looked at. */
export type OpenWitnesses = Witnesses & { state(): readonly WitnessState[]; close(): Promise<void> };

/** A log is waited for so long before the first run, whose lines would be missed otherwise. */
const logReadyMs = 2000;

/** Connects to no database yet. Rejects with LOG_SOURCE_INVALID, LOG_STDIN_TERMINAL. */
export async function openWitnesses(options: WitnessOptions): Promise<OpenWitnesses> {
  const { environment, project, logFrom, extraRoots } = options;
  const { clock } = environment;
  const log = typeof logFrom === 'string' ? await sourceOf(logFrom, environment) : logFrom;
  await log?.ready(logReadyMs);
  const { database: target } = project.targets;
  const redact = redactorOf(project.secretValues).text;
  const database = target && watchedDatabase(openTargetDatabase({ target, clock, redact, extraRoots }), clock);
  return {
    log,
    database,
    state: () => [
      ...(log ? [{ source: 'log' as const, isUp: log.trouble() === undefined }] : []),
      ...databaseState(database),
    ],
    async close() {
      await log?.close();
      await database?.close();
    },
  };
}

function databaseState(database: WatchedDatabase | undefined): WitnessState[] {
  const isUp = database?.isUp();
  return isUp === undefined ? [] : [{ source: 'database', isUp }];
}

/** Looks once at what the database user may do, and logs what it should not, or why nobody could look. */
export async function tellGrants(database: TargetDatabase, user: string, log: ProcessLog): Promise<void> {
  try {
    for (const { code, message, cure } of await grantWarnings(database, user)) log.warn({ code, cure }, message);
  } catch (error) {
    const told = error instanceof VpError ? { problem: error.message, cure: error.cure } : { err: error };
    log.warn(told, 'the database of the target could not be looked at');
  }
}
