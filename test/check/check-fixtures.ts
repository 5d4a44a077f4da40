/** Fixtures for tests of checks. */
import type { Check, CheckOutcome } from '../../src/check/check-kind.ts';
import type { Json } from '../../src/check/json/json.ts';
import { getCheckKind } from '../../src/check/kinds.ts';
import { emptyObservation, type Observation } from '../../src/check/observation.ts';
import { type ComparisonPolicy, parseCheck } from '../../src/check/parse-check.ts';

/** A reported problem: code, the marked part of the text, the fix if it has one. */
export type ReportedProblem = readonly [code: string, marked: string, cure?: string | number];

export function parse(
  text: string,
  comparisons?: ComparisonPolicy,
): { check: Check | undefined; problems: ReportedProblem[] } {
  const problems: ReportedProblem[] = [];
  const check = parseCheck(
    text,
    (code, start, end, values) => {
      const { cure }: { cure?: string | number } = values;
      const marked = text.slice(start, end);
      problems.push(cure === undefined ? [code, marked] : [code, marked, cure]);
    },
    comparisons,
  );
  return { check, problems };
}

/** Throws where the text has a problem. */
export function parseValid(text: string): Check {
  const { check, problems } = parse(text, 'allowed');
  if (check === undefined || problems.length > 0) throw new Error(`${text}: ${JSON.stringify(problems)}`);
  return check;
}

export function observeBody(value: Json, status = 200): Observation {
  return { ...emptyObservation, status, body: { kind: 'json', value } };
}

export function judge(text: string, value: Json): CheckOutcome {
  return judgeCheck(parseValid(text), observeBody(value));
}

export function holds(text: string, value: Json): boolean {
  return judge(text, value).passed;
}

export function judgeCheck(check: Check, observation: Observation): CheckOutcome {
  return getCheckKind(check).judge(check, observation);
}
