/** The value of an expression in a JSON body. */
import { describeValue } from '../json/describe-value.ts';
import { explainAbsence } from '../json/explain-absence.ts';
import { type FieldPath, resolveField } from '../json/field-path.ts';
import { type Json, toStringForm } from '../json/json.ts';
import { explainWalk, formatPointer, walkLists } from '../json/list-walk.ts';
import type { Observation } from '../observation.ts';
import type { Expression, FunctionName } from './expression.ts';
import {
  add,
  ceil,
  compareRationals,
  divide,
  floor,
  multiply,
  negate,
  parseRational,
  type Rational,
  round,
} from './rational.ts';

export type EvaluationProblem = { readonly problem: string };

type EvaluationContext = { readonly body: Json; readonly conceal: Observation['conceal'] };
type Evaluated = Rational | EvaluationProblem;
/** Numbers of list elements, or one number that stands for each of them; calculated when they are read, for there may be millions. */
type Vector = { readonly length: number; at(index: number): Evaluated; readonly isList: boolean };

const one: Rational = { numerator: 1n, denominator: 1n };

export function isEvaluationProblem(value: object): value is EvaluationProblem {
  return 'problem' in value;
}

function toNumber(value: Json, getPointer: () => string, { conceal }: EvaluationContext): Evaluated {
  const text = toStringForm(value);
  const number = parseRational(conceal?.(text) ?? text);
  return (
    number ?? {
      problem: `${formatPointer(getPointer())} is ${describeValue(value, conceal)}, not a number that can be calculated with`,
    }
  );
}

/** `conceal` hides secrets: a number that is one cannot be read. */
export function evaluate(expression: Expression, context: EvaluationContext): Evaluated {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'path': {
      const match = resolveField(context.body, expression.path);
      if (!match) return { problem: explainAbsence(context.body, expression.path, context.conceal) };
      return toNumber(match.value, () => match.pointer, context);
    }
    case 'operation':
      return operate(expression.operator, evaluate(expression.left, context), evaluate(expression.right, context));
    default:
      return call(expression, context);
  }
}

function operate(operator: '+' | '-' | '*' | '/', left: Evaluated, right: Evaluated): Evaluated {
  if (isEvaluationProblem(left)) return left;
  if (isEvaluationProblem(right)) return right;
  if (operator === '+') return add(left, right);
  if (operator === '-') return add(left, negate(right));
  if (operator === '*') return multiply(left, right);
  return divide(left, right) ?? { problem: 'a division by zero' };
}

function call(
  { name, operand, decimals }: Extract<Expression, { kind: 'call' }>,
  context: EvaluationContext,
): Evaluated {
  if (name === 'ceil' || name === 'floor' || name === 'round') {
    const value = evaluate(operand, context);
    if (isEvaluationProblem(value)) return value;
    if (name === 'round') return round(value, decimals);
    return name === 'ceil' ? ceil(value) : floor(value);
  }
  const vector = name === 'count' ? countElements(operand, context) : evaluateVector(operand, context);
  if (isEvaluationProblem(vector)) return vector;
  if (!vector.isList) return { problem: `\`${name}\` needs a list: name one on the path` };
  return aggregate(name, vector);
}

function aggregate(name: FunctionName, { length, at }: Vector): Evaluated {
  if (name === 'count') return { numerator: BigInt(length), denominator: 1n };
  if (length === 0)
    return name === 'sum' ? { numerator: 0n, denominator: 1n } : { problem: `the \`${name}\` of an empty list` };
  const sign = name === 'min' ? -1 : 1;
  let result = at(0);
  for (let index = 1; index < length && !isEvaluationProblem(result); index += 1) {
    const next = at(index);
    if (isEvaluationProblem(next)) return next;
    if (name === 'sum') result = add(result, next);
    else if (compareRationals(next, result) === sign) result = next;
  }
  return result;
}

function countElements(operand: Expression, { body, conceal }: EvaluationContext): Vector | EvaluationProblem {
  if (operand.kind !== 'path') return { problem: '`count` counts the elements of one path' };
  const walk = walkLists(body, operand.path);
  if (walk.gapCount > 0 || walk.firstList === undefined) return { problem: explainWalk(walk, conceal) ?? 'no list' };
  return { length: walk.values.length, at: () => one, isList: true };
}

function evaluateVector(expression: Expression, context: EvaluationContext): Vector | EvaluationProblem {
  if (expression.kind === 'path') return readVector(expression.path, context);
  if (expression.kind !== 'operation') {
    const value = evaluate(expression, context);
    return isEvaluationProblem(value) ? value : { length: 1, at: () => value, isList: false };
  }
  const { operator } = expression;
  const left = evaluateVector(expression.left, context);
  const right = evaluateVector(expression.right, context);
  if (isEvaluationProblem(left)) return left;
  if (isEvaluationProblem(right)) return right;
  if (left.isList && right.isList && left.length !== right.length) {
    return { problem: `lists of ${left.length} and ${right.length} elements cannot be combined` };
  }
  const isList = left.isList || right.isList;
  // The sum of quotients has a denominator that grows with each of them.
  if (isList && operator === '/') return { problem: 'elements cannot be divided: divide the sum' };
  const { length } = left.isList ? left : right;
  return { length, at: (index) => operate(operator, pick(left, index), pick(right, index)), isList };
}

function pick({ length, at, isList }: Vector, index: number): Evaluated {
  const position = isList ? index : 0;
  return position < length ? at(position) : { problem: 'an element is missing' };
}

function readVector(path: FieldPath, context: EvaluationContext): Vector | EvaluationProblem {
  const walk = walkLists(context.body, path);
  if (walk.gapCount > 0) return { problem: explainWalk(walk, context.conceal) ?? 'a field is missing' };
  const at = (index: number): Evaluated => toNumber(walk.values[index] ?? null, () => walk.locate(index), context);
  return { length: walk.values.length, at, isList: walk.firstList !== undefined };
}
