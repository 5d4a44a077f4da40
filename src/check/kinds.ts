/** The ordered list of check kinds: they are tried and documented in this order. */
import type { Check, CheckKind } from './check-kind.ts';
import { absentKind } from './kinds/absent.ts';
import { comparesKind } from './kinds/compares.ts';
import { containsKind } from './kinds/contains.ts';
import { cookieKind } from './kinds/cookie.ts';
import { cssKind } from './kinds/css.ts';
import { databaseHasKind } from './kinds/database-has.ts';
import { databaseRowsKind } from './kinds/database-rows.ts';
import { durationKind } from './kinds/duration.ts';
import { elementsKind } from './kinds/elements.ts';
import { equalsKind } from './kinds/equals.ts';
import { equalsFileKind } from './kinds/equals-file.ts';
import { existsKind } from './kinds/exists.ts';
import { headerKind } from './kinds/header.ts';
import { lengthKind } from './kinds/length.ts';
import { logCountKind } from './kinds/log-count.ts';
import { logHasKind } from './kinds/log-has.ts';
import { matchesKind } from './kinds/matches.ts';
import { orderKind } from './kinds/order.ts';
import { redirectKind } from './kinds/redirect.ts';
import { relationKind } from './kinds/relation.ts';
import { schemaKind } from './kinds/schema.ts';
import { statusKind } from './kinds/status.ts';
import { textKind } from './kinds/text.ts';
import { uniqueKind } from './kinds/unique.ts';
import { withinKind } from './kinds/within.ts';

export const checkKinds: readonly CheckKind[] = [
  statusKind,
  existsKind,
  matchesKind,
  containsKind,
  equalsKind,
  comparesKind,
  withinKind,
  absentKind,
  cssKind,
  elementsKind,
  lengthKind,
  orderKind,
  uniqueKind,
  schemaKind,
  equalsFileKind,
  relationKind,
  textKind,
  headerKind,
  cookieKind,
  redirectKind,
  durationKind,
  databaseRowsKind,
  databaseHasKind,
  logCountKind,
  logHasKind,
];

/** The kind of a check. Throws where it is not in the list. */
export function getCheckKind(check: Check, kinds: readonly CheckKind[] = checkKinds): CheckKind {
  const kind = kinds.find((each) => each.kind === check.kind);
  if (kind === undefined) throw new TypeError(`check kind ${check.kind} is not in the list`);
  return kind;
}
