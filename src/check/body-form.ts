/** The form `… has <field> [<keyword> <operand>]`, which most kinds share. */
import type { FieldPath } from './field-path.ts';
import type { ReportProblem } from './kind.ts';
import { parseField } from './parse-field.ts';

/** A word of a check with its offsets. */
export type Word = { readonly text: string; readonly start: number; readonly end: number };

/** The words, not yet judged; `keyword` and `operand` may be empty. */
export type HasForm = { readonly field: Word; readonly keyword: Word; readonly operand: Word };

const bodyOpening = /^body has(?:\s+|$)/;
/** Names, bracketed indices and bracketed keys in double quotes; ends at a space or a comparison sign. */
const field = /(?:\["(?:[^"\\]|\\.)*"\]|[^\s<>=!~])*/y;
const keyword = /[<>=!~]+|\S*/y;

function wordAt(text: string, pattern: RegExp, from: number): Word {
  pattern.lastIndex = from;
  const found = pattern.exec(text)?.[0] ?? '';
  return { text: found, start: from, end: from + found.length };
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

/** Splits what stands from `start` on; `name` (sticky) finds the field. */
export function readHasForm(text: string, start: number, name: RegExp = field): HasForm {
  const fieldWord = wordAt(text, name, start);
  const keywordWord = wordAt(text, keyword, skipSpace(text, fieldWord.end));
  const operandStart = skipSpace(text, keywordWord.end);
  return {
    field: fieldWord,
    keyword: keywordWord,
    operand: { text: text.slice(operandStart), start: operandStart, end: text.length },
  };
}

/** Splits a check; undefined when it does not begin with `body has`. */
export function readBodyForm(text: string): HasForm | undefined {
  const start = bodyOpening.exec(text)?.[0].length;
  return start === undefined ? undefined : readHasForm(text, start);
}

/** The field of a check as a path; undefined after its problem was reported. */
export function fieldOf(word: Word, report: ReportProblem): FieldPath | undefined {
  const path = parseField(word.text);
  if (!('problem' in path)) return path;
  const { problem, cure } = path;
  const start = word.start + path.start;
  report('SCENARIO_FIELD_INVALID', start, Math.max(start + 1, word.start + path.end), { problem, cure });
  return undefined;
}

/** The operand of a check that needs one; undefined after its absence was reported. Warns of marks around it. */
export function operandOf(form: HasForm, example: string, report: ReportProblem): string | undefined {
  const { text, start, end } = form.operand;
  if (text === '') {
    report('SCENARIO_CHECK_OPERAND_MISSING', form.keyword.start, form.keyword.end, {
      keyword: form.keyword.text,
      example,
    });
    return undefined;
  }
  const marks = /^(["'`])(.*)\1$/.exec(text);
  if (marks?.[2]) report('SCENARIO_CHECK_QUOTED', start, end, { mark: marks[1] ?? '', inner: marks[2] });
  return text;
}
