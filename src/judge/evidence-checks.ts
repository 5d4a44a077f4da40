/** Checks of the log and the database: which evidence they need, what of it is missing, and whether they hold. */
import type { Observation, UnavailableEvidence } from '../check/observation.ts';
import { formatError } from '../errors/vp-error.ts';
import type { Scenario, ScenarioCheck } from '../scenario/scenario.ts';
import { type LaterEvidence, toEvidenceObservation } from './to-observation.ts';

/** What the checks of a scenario read besides the response: the log, and these queries of VERIFY. */
export type RequiredEvidence = { readonly log: boolean; readonly queries: readonly string[] };

/** Queries that no check names are omitted. */
export function findRequiredEvidence({ checks }: Pick<Scenario, 'checks'>): RequiredEvidence {
  const names = checks.flatMap(({ check, definition }) => definition.getQuery?.(check) ?? []);
  return { log: checks.some(({ definition }) => definition.looksAt === 'log'), queries: [...new Set(names)] };
}

/** Evidence that a check reads and that is unavailable. `what`: how far it is, as the beginning of a sentence. */
export type MissingEvidence = UnavailableEvidence & { readonly what: string };

/** Evidence for which no source is configured. */
export function createAbsentEvidence(code: 'EVIDENCE_LOG_ABSENT' | 'EVIDENCE_DATABASE_ABSENT'): UnavailableEvidence {
  const { message, cure } = formatError(code, {});
  return { kind: 'unavailable', problem: message, cure };
}

/** Undefined where the check can be judged: its evidence is there and decides it. */
export function findMissingEvidence(entry: ScenarioCheck, observation: Observation): MissingEvidence | undefined {
  const { check, definition } = entry;
  const { log, database } = observation;
  if (definition.looksAt === 'response') return undefined;
  if (definition.looksAt === 'log') {
    const evidence = log ?? createAbsentEvidence('EVIDENCE_LOG_ABSENT');
    return evidence.kind === 'unavailable'
      ? { ...evidence, what: 'the log could not be read' }
      : findGap(entry, observation);
  }
  const name = definition.getQuery?.(check) ?? '';
  const evidence = database?.get(name) ?? createAbsentEvidence('EVIDENCE_DATABASE_ABSENT');
  return evidence.kind === 'unavailable'
    ? { ...evidence, what: `the query \`${name}\` could not be read` }
    : findGap(entry, observation);
}

function findGap({ check, definition }: ScenarioCheck, observation: Observation): MissingEvidence | undefined {
  const gap = definition.findGap?.(check, observation);
  if (!gap) return undefined;
  const { subject, ...unavailable } = gap;
  return { kind: 'unavailable', ...unavailable, what: `the log does not tell ${subject}` };
}

/**
 * Whether each check of the log and the database passes, or has failed for good. Evidence is collected until then, or until the
 * time is over.
 */
export function isEvidenceDecided({ checks }: Scenario, evidence: LaterEvidence): boolean {
  const observation = toEvidenceObservation(evidence);
  return checks.every(({ check, definition }) => {
    if (definition.looksAt === 'response' || definition.judge(check, observation).passed) return true;
    return definition.isFailureFinal?.(check, observation) === true;
  });
}

export function databaseHolds(
  { checks }: Scenario,
  evidence: Pick<LaterEvidence, 'queries' | 'conceal' | 'nowMs'>,
): boolean {
  const observation = toEvidenceObservation({ ...evidence, log: undefined });
  return checks.every(({ check, definition }) => {
    return definition.looksAt !== 'database' || definition.judge(check, observation).passed;
  });
}

/** Whether evidence is missing that waiting cannot provide. */
export function isEvidenceUnattainable({ checks }: Scenario, evidence: LaterEvidence): boolean {
  const observation = toEvidenceObservation(evidence);
  return checks.some((entry) => findMissingEvidence(entry, observation)?.isFinal === true);
}
