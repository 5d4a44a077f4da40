/** The text of one bullet → `Check`, or problems with their fix. */
import type { Check, CheckKind, ReportProblem } from './check-kind.ts';
import { findCorrection } from './correction.ts';
import { parseDatabaseForm } from './forms/database-form.ts';
import { type HasForm, parseBodyForm, parseHasForm } from './forms/has-form.ts';
import { logHasPrefix } from './forms/log-form.ts';
import { reportRefusedComparison, reportRefusedSign } from './forms/refused-comparison.ts';
import { abbreviate, maxExcerptLength } from './json/describe-value.ts';
import { checkKinds } from './kinds.ts';

/** Whether numbers may be compared: not in the layer that has nothing but the response (spec). */
export type ComparisonPolicy = 'allowed' | 'refused';

function isCheck(text: string, kinds: readonly CheckKind[]): boolean {
  const parsed = kinds.map((kind) => kind.parse(text, () => {})).find((check) => check !== undefined);
  return parsed !== undefined && parsed !== 'refused';
}

/** Kinds whose form begins with the same word, such as `log`, or the same two for `body`; all where there is none. */
function findRelatedKinds(text: string, kinds: readonly CheckKind[]): readonly CheckKind[] {
  const start = /^(?:body [a-z]+|[a-z]+)\b/.exec(text)?.[0];
  const related = kinds.filter(({ form }) => start !== 'body' && form.startsWith(`${start} `));
  return related.length > 0 ? related : kinds;
}

function formatCure(text: string, kinds: readonly CheckKind[]): string {
  const correction = text.length > maxExcerptLength ? undefined : findCorrection(text, kinds);
  if (correction !== undefined && correction !== text && (isCheck(correction, kinds) || text.startsWith('body has '))) {
    return `did you mean \`${abbreviate(correction)}\`?`;
  }
  return `a check is one of: ${findRelatedKinds(text, kinds)
    .map(({ form }) => `\`${form}\``)
    .join(', ')}`;
}

function findHasForm(text: string): HasForm | undefined {
  const database = parseDatabaseForm(text);
  const start = database?.word === 'has' ? database.operandStart : logHasPrefix.exec(text)?.[0].length;
  return start === undefined ? parseBodyForm(text) : parseHasForm(text, start);
}

function reportUnknownCheck(text: string, kinds: readonly CheckKind[], report: ReportProblem): void {
  const keyword = findHasForm(text)?.keyword;
  const marked = keyword === undefined || keyword.text === '' ? { start: 0, end: text.length } : keyword;
  const values = { check: abbreviate(text), cure: formatCure(text, kinds) };
  report('SCENARIO_CHECK_UNKNOWN', marked.start, marked.end, values);
}

/** Parses a check; undefined after every problem was reported. `text` is one line, trimmed; offsets count in it. */
export function parseCheck(
  text: string,
  report: ReportProblem,
  comparisons: ComparisonPolicy = 'refused',
  kinds: readonly CheckKind[] = checkKinds,
): Check | undefined {
  const allowed = kinds.filter(({ refusedInPlain }) => comparisons === 'allowed' || refusedInPlain !== true);
  for (const kind of allowed) {
    const check = kind.parse(text, report);
    if (check === undefined) continue;
    if (check === 'refused') return undefined;
    const sign = comparisons === 'refused' ? kind.findComparison?.(check) : undefined;
    if (sign === undefined) return check;
    reportRefusedSign(text, sign, report);
    return undefined;
  }
  if (!reportRefusedComparison(text, comparisons, report)) reportUnknownCheck(text, allowed, report);
  return undefined;
}
