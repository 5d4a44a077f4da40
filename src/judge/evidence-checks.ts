/** Checks of the log and the database: which evidence they need, what of it is missing, and whether they hold. */
import type { CheckSource } from '../check/check-kind.ts';
import type { Observation, UnavailableEvidence } from '../check/observation.ts';
import { formatError } from '../errors/vp-error.ts';
import type { Scenario, ScenarioCheck } from '../scenario/scenario.ts';
import { type LaterEvidence, toEvidenceObservation } from './to-observation.ts';

/** What the checks of a scenario read besides the response: the log, and these queries of VERIFY. */
export type RequiredEvidence = { readonly log: boolean; readonly queries: readonly string[] };

/** Queries that no check names are omitted. */
export function findRequiredEvidence({ checks }: Scenario): RequiredEvidence {
  const names = checks.flatMap(({ check, definition }) => definition.getQuery?.(check) ?? []);
  return { log: checks.some(({ definition }) => definition.looksAt === 'log'), queries: [...new Set(names)] };
}

/** Evidence that a check reads and that is unavailable. `where`: its name, for people. */
export type MissingEvidence = UnavailableEvidence & { readonly where: string };

/** Evidence for which no source is configured. */
export function createAbsentEvidence(code: 'EVIDENCE_LOG_ABSENT' | 'EVIDENCE_DATABASE_ABSENT'): UnavailableEvidence {
  const { message, cure } = formatError(code, {});
  return { kind: 'unavailable', problem: message, cure };
}

/** Undefined where the check can be judged. */
export function findMissingEvidence(
  { check, definition }: ScenarioCheck,
  { log, database }: Observation,
): MissingEvidence | undefined {
  if (definition.looksAt === 'response') return undefined;
  if (definition.looksAt === 'log') {
    const entry = log ?? createAbsentEvidence('EVIDENCE_LOG_ABSENT');
    return entry.kind === 'unavailable' ? { ...entry, where: 'the log' } : undefined;
  }
  const name = definition.getQuery?.(check) ?? '';
  const entry = database?.get(name) ?? createAbsentEvidence('EVIDENCE_DATABASE_ABSENT');
  return entry.kind === 'unavailable' ? { ...entry, where: `the query \`${name}\`` } : undefined;
}

/** Whether all checks of the log and the database pass. Evidence is collected until then, or until the time is over. */
export function evidenceHolds(scenario: Scenario, evidence: LaterEvidence): boolean {
  return allHold(scenario, evidence, (source) => source !== 'response');
}

export function databaseHolds(scenario: Scenario, evidence: Pick<LaterEvidence, 'queries' | 'conceal'>): boolean {
  return allHold(scenario, { ...evidence, log: undefined }, (source) => source === 'database');
}

function allHold({ checks }: Scenario, evidence: LaterEvidence, isIncluded: (source: CheckSource) => boolean): boolean {
  const observation = toEvidenceObservation(evidence);
  return checks.every(({ check, definition }) => {
    return !isIncluded(definition.looksAt) || definition.judge(check, observation).passed;
  });
}

/** Whether evidence is missing that waiting cannot provide. */
export function isHopeless({ checks }: Scenario, evidence: LaterEvidence): boolean {
  const observation = toEvidenceObservation(evidence);
  return checks.some((entry) => findMissingEvidence(entry, observation)?.isFinal === true);
}
