/** Whether the executor can read evidence from the target's log and its database. */
import { VpError } from '../../errors/vp-error.ts';
import type { AgentPorts, Unavailability } from '../ports.ts';
import { truncate } from '../tools/result-text.ts';

/** A problem may also be set when `state` is `read`. */
export type EvidenceSourceState = {
  readonly state: 'not configured' | 'not connected' | 'unavailable' | 'read';
  readonly problem: string | null;
  readonly cure: string | null;
};

const noProblem = { problem: null, cure: null };

function createUnconnectedState(sourceName: string): EvidenceSourceState {
  const cure = 'ask a person to connect it and to restart the executor (its help lists the flags)';
  return { state: 'not connected', problem: `the executor was started without the ${sourceName} of the target`, cure };
}

export function readLogState({ project, log }: Pick<AgentPorts, 'project' | 'log'>): EvidenceSourceState {
  if (!log) return project.hasLogstore ? createUnconnectedState('log') : { state: 'not configured', ...noProblem };
  const unavailable = log.getProblem();
  return unavailable ? { state: 'unavailable', ...unavailable } : { state: 'read', ...noProblem };
}

/** State of the database, with warnings when its user has too many or too few permissions. */
export async function readDatabaseState({ project, database }: Pick<AgentPorts, 'project' | 'database'>) {
  if (!database)
    return project.hasDatabase
      ? createUnconnectedState('database')
      : ({ state: 'not configured', ...noProblem } as const);
  try {
    const warnings = await database.warnings();
    return { state: 'read', ...(warnings.length === 0 ? noProblem : joinProblems(warnings)) } as const;
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return { state: 'unavailable', problem: error.message, cure: error.cure } as const;
  }
}

function joinProblems(warnings: readonly Unavailability[]): Unavailability {
  const joinPart = (part: keyof Unavailability): string =>
    truncate(warnings.map((warning) => warning[part]).join('; '), 1000);
  return { problem: joinPart('problem'), cure: joinPart('cure') };
}
