/** Whether the executor can look beside the answer: into the target's log and its database. */
import { VpError } from '../errors/vp-error.ts';
import { cut } from './answer/bounds.ts';
import type { AgentPorts, Trouble } from './ports.ts';

/** `state` in a few words; a problem may stand beside a state that is all right. */
export type EvidenceState = {
  readonly state: 'not configured' | 'not connected' | 'unavailable' | 'read';
  readonly problem: string | null;
  readonly cure: string | null;
};

const fine = { problem: null, cure: null };

function unconnected(what: string): EvidenceState {
  const cure = 'a person looks at what `vp executor --help` says of it, and starts the executor anew';
  return { state: 'not connected', problem: `the executor was started without the ${what} of the target`, cure };
}

/** How the log is. */
export function logState({ project, log }: Pick<AgentPorts, 'project' | 'log'>): EvidenceState {
  if (!log) return project.hasLogstore ? unconnected('log') : { state: 'not configured', ...fine };
  const trouble = log.trouble();
  return trouble ? { state: 'unavailable', ...trouble } : { state: 'read', ...fine };
}

/** How the database is, and whether its user may do too much or too little. */
export async function databaseState({ project, database }: Pick<AgentPorts, 'project' | 'database'>) {
  if (!database) return project.hasDatabase ? unconnected('database') : ({ state: 'not configured', ...fine } as const);
  try {
    const warnings = await database.warnings();
    return { state: 'read', ...(warnings.length === 0 ? fine : joined(warnings)) } as const;
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return { state: 'unavailable', problem: error.message, cure: error.cure } as const;
  }
}

function joined(warnings: readonly Trouble[]): Trouble {
  const all = (part: keyof Trouble): string => cut(warnings.map((warning) => warning[part]).join('; '), 1000);
  return { problem: all('problem'), cure: all('cure') };
}
