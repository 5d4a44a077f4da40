import type { CheckKind, CheckOutcome } from '../check-kind.ts';
import { explainMissingBody } from '../forms/body-value.ts';
import { type Comparison, comparisons, isComparison } from '../forms/decimal.ts';
import { evaluate, isEvaluationProblem } from '../forms/evaluate.ts';
import { type Expression, listPaths, parseExpression } from '../forms/expression.ts';
import { compareRationals, formatRational } from '../forms/rational.ts';
import { abbreviate, formatValue } from '../json/describe-value.ts';
import { explainAbsence } from '../json/explain-absence.ts';
import { resolveField } from '../json/field-path.ts';
import { type Json, toStringForm } from '../json/json.ts';
import { walkLists } from '../json/list-walk.ts';
import type { Observation } from '../observation.ts';
import { createBodySubject } from '../subjects/body-subject.ts';

export type RelationCheck = {
  readonly kind: 'relation';
  readonly left: Expression;
  readonly right: Expression;
  readonly sign: Comparison;
  readonly expected: string;
};

/** First words of other checks of the body. A field of such a name is written `["has"]`. */
const openingWords =
  /^body\s+(?:(?:has|every|some|sorted|unique|matches|equals|text|length)\b|(?:all|each|any)\s+(?!equals\s|[-+*/<>=!]))/;
/** A long run of spaces would take time in the square of its length. */
const maxLength = 2000;
/** The sign or word between the two sides: between spaces, outside of quoted keys. */
const splitPattern =
  /^((?:\["(?:[^"\\]|\\.)*"\]|(?!\[")[^\s<>=!])(?:\["(?:[^"\\]|\\.)*"\]|(?!\[")[^<>=!])*?)\s*(\bequals\b(?=\s)|[<>=!]+)\s*/;

/** As they came: two secrets are displayed alike and need not be equal. That they are equal says nothing about either. */
function compareTexts(left: Json, right: Json, check: RelationCheck, { conceal }: Observation): CheckOutcome {
  const isSame = toStringForm(left) === toStringForm(right);
  const actual = `${formatValue(left, conceal)} and ${formatValue(right, conceal)}`;
  if (check.sign !== '=' && check.sign !== '!=') {
    return { passed: false, expected: check.expected, actual: `${actual}, which are not both numbers` };
  }
  return { passed: check.sign === '=' ? isSame : !isSame, expected: check.expected, actual };
}

function judgeNumbers(check: RelationCheck, body: Json, { conceal }: Observation): CheckOutcome {
  const { expected } = check;
  const [left, right] = [evaluate(check.left, { body, conceal }), evaluate(check.right, { body, conceal })];
  if (isEvaluationProblem(left)) return { passed: false, expected, actual: left.problem };
  if (isEvaluationProblem(right)) return { passed: false, expected, actual: right.problem };
  const order = compareRationals(left, right);
  const passed = comparisons[check.sign].some((each) => each === order);
  return { passed, expected, actual: `${formatRational(left)} and ${formatRational(right)}` };
}

/** Both sides are a single path whose values are not both numbers: they are compared as texts. */
function judgePaths(check: RelationCheck, body: Json, observation: Observation): CheckOutcome | undefined {
  const { left, right, expected } = check;
  if (left.kind !== 'path' || right.kind !== 'path') return undefined;
  const [a, b] = [resolveField(body, left.path), resolveField(body, right.path)];
  if (!a || !b) {
    const actual = explainAbsence(body, a ? right.path : left.path, observation.conceal);
    const hint = a ? `; for a text write \`body has ${left.path.text} equals ${right.path.text}\`` : '';
    return { passed: false, expected, actual: actual + hint };
  }
  const areNumbers = [a.value, b.value].every((value) => !isEvaluationProblem(evaluateValue(value)));
  return areNumbers ? undefined : compareTexts(a.value, b.value, check, observation);
}

function evaluateValue(value: Json) {
  if (typeof value === 'string') return { problem: 'a text' };
  return evaluate({ kind: 'path', path: { text: '', steps: [] } }, { body: value, conceal: undefined });
}

function findPointers(check: RelationCheck, body: Json): readonly string[] {
  return [...listPaths(check.left), ...listPaths(check.right)].flatMap((path) => {
    const match = resolveField(body, path);
    if (match) return [match.pointer];
    const walk = walkLists(body, path);
    return walk.values.length === 0 ? [] : [walk.locate(0)];
  });
}

/** `body <path or arithmetic> equals <path or arithmetic>`. */
export const relationKind: CheckKind<RelationCheck> = {
  kind: 'relation',
  form: 'body <expression> equals <expression>',
  meaning:
    'both sides have the same value: fields and numbers with `+`, `-`, `*`, `/` between spaces, brackets, and `sum(…)`, `count(…)`, `min(…)`, `max(…)` over lists, `ceil(…)`, `floor(…)`, `round(…, 2)`; exact, nothing is rounded unless it says so. Also `!=`, and `>`, `>=`, `<`, `<=` where numbers are compared. Two fields without arithmetic may be texts',
  example: 'body totalPages equals ceil(count / perPage)',
  looksAt: 'response',
  counted: true,
  parse(text, report) {
    const opening = /^body\s+/.exec(text)?.[0].length;
    if (opening === undefined || text.length > maxLength || openingWords.test(text)) return undefined;
    const [before, leftText = '', written = ''] = splitPattern.exec(text.slice(opening)) ?? [];
    const sign = written === 'equals' ? '=' : written;
    if (before === undefined || !isComparison(sign)) return undefined;
    const left = parseExpression(leftText, opening, report);
    const rightStart = opening + before.length;
    const right = parseExpression(text.slice(rightStart), rightStart, report);
    if (!left || !right) return 'refused';
    if (listPaths(left).length + listPaths(right).length === 0) {
      report('SCENARIO_CHECK_EXPRESSION', opening, text.length, { problem: 'it names no field' });
      return 'refused';
    }
    return { kind: 'relation', left, right, sign, expected: abbreviate(text.slice(opening)) };
  },
  judge(check, observation) {
    const { body } = observation;
    if (body.kind !== 'json') return { passed: false, expected: check.expected, actual: explainMissingBody(body) };
    const outcome = judgePaths(check, body.value, observation) ?? judgeNumbers(check, body.value, observation);
    const [pointer, ...otherPointers] = findPointers(check, body.value);
    return pointer === undefined ? outcome : { ...outcome, pointer, otherPointers };
  },
  findComparison: ({ sign }) => (sign === '=' || sign === '!=' ? undefined : sign),
  getSubject({ left, right, expected }, observation, outcome) {
    const [field] = [...listPaths(left), ...listPaths(right)];
    return field && createBodySubject({ field, expected }, observation, outcome);
  },
  readingCost: 4,
};
