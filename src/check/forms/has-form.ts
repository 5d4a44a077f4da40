/** The form `… has <field> [<keyword> <operand>]`, which most kinds share. */
import type { ReportProblem } from '../check-kind.ts';
import type { FieldPath } from '../json/field-path.ts';
import { parseField } from '../json/parse-field-path.ts';

/** A word of a check with its offsets. */
export type CheckWord = { readonly text: string; readonly start: number; readonly end: number };

/** The words, not validated; `keyword` and `operand` may be empty. */
export type HasForm = { readonly field: CheckWord; readonly keyword: CheckWord; readonly operand: CheckWord };

const bodyPrefix = /^body has(?:\s+|$)/;
/** Names, bracketed indices and bracketed keys in double quotes; ends at a space or a comparison sign. */
const fieldPattern = /(?:\["(?:[^"\\]|\\.)*"\]|[^\s<>=!~])*/y;
const keywordPattern = /[<>=!~]+|\S*/y;

function readWord(text: string, pattern: RegExp, from: number): CheckWord {
  pattern.lastIndex = from;
  const matched = pattern.exec(text)?.[0] ?? '';
  return { text: matched, start: from, end: from + matched.length };
}

function skipSpace(text: string, from: number): number {
  let position = from;
  while (position < text.length && /\s/.test(text.charAt(position))) position += 1;
  return position;
}

/** Splits the text from `start` on; `name` (sticky) matches the field. */
export function parseHasForm(text: string, start: number, name: RegExp = fieldPattern): HasForm {
  const fieldWord = readWord(text, name, start);
  const keywordWord = readWord(text, keywordPattern, skipSpace(text, fieldWord.end));
  const operandStart = skipSpace(text, keywordWord.end);
  return {
    field: fieldWord,
    keyword: keywordWord,
    operand: { text: text.slice(operandStart), start: operandStart, end: text.length },
  };
}

/** Undefined when the check does not begin with `body has`. */
export function parseBodyForm(text: string): HasForm | undefined {
  const start = bodyPrefix.exec(text)?.[0].length;
  return start === undefined ? undefined : parseHasForm(text, start);
}

/** Undefined after a report. */
export function parseFieldPath(word: CheckWord, report: ReportProblem): FieldPath | undefined {
  const path = parseField(word.text);
  if (!('problem' in path)) return path;
  const { problem, cure } = path;
  const start = word.start + path.start;
  report('SCENARIO_FIELD_INVALID', start, Math.max(start + 1, word.start + path.end), { problem, cure });
  return undefined;
}
