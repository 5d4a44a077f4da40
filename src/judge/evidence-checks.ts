/** Checks of the log and the database: which evidence they need, what of it is missing, and whether they hold. */
import { type Check, judgeCheck, looksAt } from '../check/kinds.ts';
import type { Observed, Unavailable } from '../check/observed.ts';
import { wordsOf } from '../errors/vp-error.ts';
import type { Evidence } from '../run/evidence.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { besideOf, type SeenBeside } from './observed-of.ts';

/** What the checks of a scenario look at beside the answer: the log, and these queries of VERIFY. */
export type EvidenceNeeded = { readonly log: boolean; readonly queries: readonly string[] };

/** Which evidence the checks need. Queries that no check names are left out. */
export function evidenceNeeded({ checks }: Scenario): EvidenceNeeded {
  const names = checks.flatMap(({ check }) => ('query' in check && check.query !== undefined ? [check.query] : []));
  return { log: checks.some(({ check }) => looksAt(check) === 'log'), queries: [...new Set(names)] };
}

/** The evidence a check looks at, where it is not to be had. `where`: its name, for people. */
export type MissingEvidence = Unavailable & { readonly where: string };

/** Evidence that nobody set up here. */
export function absentEvidence(code: 'EVIDENCE_LOG_ABSENT' | 'EVIDENCE_DATABASE_ABSENT'): Unavailable {
  const { message, cure } = wordsOf(code, {});
  return { kind: 'unavailable', problem: message, cure };
}

/** What a check lacks; undefined where it can be judged. */
export function missingFor(check: Check, { log, database }: SeenBeside): MissingEvidence | undefined {
  const at = looksAt(check);
  if (at === 'response') return undefined;
  if (at === 'log') {
    const found = log ?? absentEvidence('EVIDENCE_LOG_ABSENT');
    return found.kind === 'unavailable' ? { ...found, where: 'the log' } : undefined;
  }
  const name = 'query' in check ? check.query : undefined;
  const found = database?.get(name ?? '') ?? absentEvidence('EVIDENCE_DATABASE_ABSENT');
  return found.kind === 'unavailable' ? { ...found, where: `the query \`${name ?? ''}\`` } : undefined;
}

type Beside = Pick<Evidence, 'log' | 'queries' | 'conceal'>;

/** Whether all checks of the log and the database hold by now: what is collected after the answer is waited for until then. */
export function evidenceHolds(scenario: Scenario, evidence: Beside): boolean {
  return holdsAt(scenario, evidence, (at) => at !== 'response');
}

/** The same for the checks of the database alone. */
export function databaseHolds(scenario: Scenario, evidence: Pick<Beside, 'queries' | 'conceal'>): boolean {
  return holdsAt(scenario, { ...evidence, log: undefined }, (at) => at === 'database');
}

function holdsAt(
  { checks }: Scenario,
  evidence: Beside,
  isMeant: (at: ReturnType<typeof looksAt>) => boolean,
): boolean {
  const observed: Observed = { status: 0, body: { kind: 'empty' }, ...besideOf(evidence) };
  return checks.every(({ check }) => !isMeant(looksAt(check)) || judgeCheck(check, observed).passed);
}

/** Whether a check lacks evidence that waiting cannot bring. */
export function isHopeless({ checks }: Scenario, evidence: Beside): boolean {
  const seen = besideOf(evidence);
  return checks.some(({ check }) => missingFor(check, seen)?.isFinal === true);
}
