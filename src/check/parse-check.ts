/** Text of one bullet → `Check`, or problems with their cure. */
import { type HasForm, readBodyForm, readHasForm } from './body-form.ts';
import { bounded, excerptLength } from './bounded.ts';
import { refuseComparison } from './comparison.ts';
import { readDatabaseForm } from './database-form.ts';
import type { CheckKind, ReportProblem } from './kind.ts';
import { type Check, kinds } from './kinds.ts';
import { logOpening } from './log-form.ts';
import { meant } from './meant.ts';

/** Whether numbers may be compared: not in the layer that sees nothing but the response (spec). */
export type Comparisons = 'allowed' | 'refused';

const every: readonly CheckKind<Check>[] = kinds;
const lists: Readonly<Record<Comparisons, readonly CheckKind<Check>[]>> = {
  allowed: every,
  refused: every.filter(({ refusedInPlain }) => refusedInPlain !== true),
};

function isCheck(text: string, list: readonly CheckKind<Check>[]): boolean {
  const parsed = list.map((kind) => kind.parse(text, () => {})).find((check) => check !== undefined);
  return parsed !== undefined && parsed !== 'refused';
}

function cureFor(text: string, list: readonly CheckKind<Check>[]): string {
  const better = text.length > excerptLength ? undefined : meant(text);
  if (better !== undefined && better !== text && (isCheck(better, list) || text.startsWith('body has '))) {
    return `did you mean \`${bounded(better)}\`?`;
  }
  const word = /^(?:db|log)\b/.exec(text)?.[0];
  const near = word === undefined ? list : list.filter(({ form }) => form.startsWith(word));
  return `a check is one of: ${near.map((kind) => `\`${kind.form}\``).join(', ')}`;
}

function hasFormOf(text: string): HasForm | undefined {
  const database = readDatabaseForm(text);
  const start = database?.word === 'has' ? database.rest : logOpening.exec(text)?.[0].length;
  return start === undefined ? readBodyForm(text) : readHasForm(text, start);
}

function reportUnknown(text: string, list: readonly CheckKind<Check>[], report: ReportProblem): void {
  const keyword = hasFormOf(text)?.keyword;
  const at = keyword === undefined || keyword.text === '' ? { start: 0, end: text.length } : keyword;
  report('SCENARIO_CHECK_UNKNOWN', at.start, at.end, { check: bounded(text), cure: cureFor(text, list) });
}

/** Parses a check; undefined after every problem was reported. `text` is one line, trimmed; offsets count in it. */
export function parseCheck(
  text: string,
  report: ReportProblem,
  comparisons: Comparisons = 'refused',
): Check | undefined {
  const list = lists[comparisons];
  for (const kind of list) {
    const check = kind.parse(text, report);
    if (check !== undefined) return check === 'refused' ? undefined : check;
  }
  if (!refuseComparison(text, comparisons, report)) reportUnknown(text, list, report);
  return undefined;
}
