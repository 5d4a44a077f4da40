/** The ordered list of check kinds: they are tried and documented in this order. */
import type { Check, CheckKind } from './check-kind.ts';
import { compares } from './kinds/compares.ts';
import { contains } from './kinds/contains.ts';
import { databaseHas } from './kinds/database-has.ts';
import { databaseRows } from './kinds/database-rows.ts';
import { equals } from './kinds/equals.ts';
import { exists } from './kinds/exists.ts';
import { logCount } from './kinds/log-count.ts';
import { logHas } from './kinds/log-has.ts';
import { matches } from './kinds/matches.ts';
import { status } from './kinds/status.ts';

export const checkKinds: readonly CheckKind[] = [
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
];

/** The kind of a check. Throws where it is not in the list. */
export function getKind(check: Check, kinds: readonly CheckKind[] = checkKinds): CheckKind {
  const kind = kinds.find((each) => each.kind === check.kind);
  if (kind === undefined) throw new TypeError(`check kind ${check.kind} is not in the list`);
  return kind;
}
