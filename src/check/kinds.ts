/** Every check kind, in the order in which they are tried and told. A new kind is one more line in `kinds`. */
import { compares } from './compares.ts';
import { contains } from './contains.ts';
import { databaseHas } from './database-has.ts';
import { databaseRows } from './database-rows.ts';
import { equals } from './equals.ts';
import { exists } from './exists.ts';
import type { CheckKind } from './kind.ts';
import { logCount } from './log-count.ts';
import { logHas } from './log-has.ts';
import { matches } from './matches.ts';
import type { Observed } from './observed.ts';
import type { Outcome } from './outcome.ts';
import { status } from './status.ts';

/** The list. */
export const kinds = [
  status,
  exists,
  matches,
  contains,
  equals,
  compares,
  databaseRows,
  databaseHas,
  logCount,
  logHas,
] as const;

type CheckOf<K> = K extends CheckKind<infer C> ? C : never;

/** A parsed check; holds all that judging needs. */
export type Check = CheckOf<(typeof kinds)[number]>;

/** Each kind judges only checks of its own name, so the map may promise what the list does. */
const byKind = new Map<Check['kind'], CheckKind<Check>>(
  kinds.map((kind): [Check['kind'], CheckKind<Check>] => [kind.kind, kind]),
);

function kindOf(check: Check): CheckKind<Check> {
  const kind = byKind.get(check.kind);
  if (kind === undefined) throw new TypeError(`check kind ${check.kind} is not in the list`);
  return kind;
}

/** What becomes of `check` in view of what came back. Never throws; fast. */
export function judgeCheck(check: Check, observed: Observed): Outcome {
  return kindOf(check).judge(check, observed);
}

/** What the check looks at. */
export function looksAt(check: Check): 'response' | 'database' | 'log' {
  return kindOf(check).looksAt;
}

/** True when the check is part of `assertions_enforced_count`. */
export function isCounted(check: Check): boolean {
  return kindOf(check).counted;
}
