/** Small makers for tests of checks. */
import { type Check, judgeCheck } from '../../src/check/kinds.ts';
import type { Json, Observed } from '../../src/check/observed.ts';
import type { Outcome } from '../../src/check/outcome.ts';
import { type Comparisons, parseCheck } from '../../src/check/parse-check.ts';

/** A problem as a test likes to compare it: code, the marked part of the text, the cure if it has one. */
export type Told = readonly [code: string, marked: string, cure?: string | number];

/** Parses `text`; the check and what was said about it. */
export function parsed(text: string, comparisons?: Comparisons): { check: Check | undefined; told: Told[] } {
  const told: Told[] = [];
  const check = parseCheck(
    text,
    (code, start, end, values) => {
      const { cure }: { cure?: string | number } = values;
      const marked = text.slice(start, end);
      told.push(cure === undefined ? [code, marked] : [code, marked, cure]);
    },
    comparisons,
  );
  return { check, told };
}

/** The check of a text that has no mistake. */
export function check(text: string): Check {
  const { check, told } = parsed(text, 'allowed');
  if (check === undefined || told.length > 0) throw new Error(`${text}: ${JSON.stringify(told)}`);
  return check;
}

/** An answer with this JSON body. */
export function answer(value: Json, status = 200): Observed {
  return { status, body: { kind: 'json', value } };
}

/** What becomes of the check `text` for a body. */
export function judged(text: string, value: Json): Outcome {
  return judgeCheck(check(text), answer(value));
}

/** Whether it holds. */
export function holds(text: string, value: Json): boolean {
  return judged(text, value).passed;
}
