/** Arithmetic of paths: `totalPages * perPage`, `sum(items.price * items.quantity)`. Operators stand between spaces. */
import type { ReportProblem } from '../check-kind.ts';
import type { FieldPath } from '../json/field-path.ts';
import { parseField } from '../json/parse-field-path.ts';
import { parseRational, type Rational } from './rational.ts';

const expressionFunctions = ['sum', 'count', 'min', 'max', 'ceil', 'floor', 'round'] as const;
export type FunctionName = (typeof expressionFunctions)[number];

export type Expression =
  | { readonly kind: 'number'; readonly value: Rational }
  | { readonly kind: 'path'; readonly path: FieldPath }
  | {
      readonly kind: 'operation';
      readonly operator: '+' | '-' | '*' | '/';
      readonly left: Expression;
      readonly right: Expression;
    }
  /** `decimals`: of `round`. */
  | { readonly kind: 'call'; readonly name: FunctionName; readonly operand: Expression; readonly decimals: number };

type Token = { readonly text: string; readonly start: number };

/** A path or number, a function with its bracket, or a sign. A name may hold signs; only with spaces around are they operators. */
const tokenPattern =
  /\s*((?:sum|count|min|max|ceil|floor|round)\(|[(),]|(?:\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[^\s(),[\]])+)/y;
const maxTokens = 200;

function tokenize(text: string, offset: number): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length && tokens.length <= maxTokens) {
    tokenPattern.lastIndex = position;
    const match = tokenPattern.exec(text);
    const token = match?.[1];
    if (match === null || token === undefined) return text.slice(position).trim() === '' ? tokens : undefined;
    position = tokenPattern.lastIndex;
    tokens.push({ text: token, start: offset + position - token.length });
  }
  return tokens.length > maxTokens ? undefined : tokens;
}

/** A recursive descent over the tokens. `undefined` means that a problem was noted. */
class ExpressionParser {
  readonly #tokens: readonly Token[];
  readonly #report: ReportProblem;
  readonly #end: number;
  #index = 0;

  constructor(tokens: readonly Token[], end: number, report: ReportProblem) {
    this.#tokens = tokens;
    this.#report = report;
    this.#end = end;
  }

  parse(): Expression | undefined {
    const expression = this.#sum();
    if (expression && this.#tokens[this.#index]) return this.#refuse('an operator is missing');
    return expression;
  }

  #sum(): Expression | undefined {
    return this.#chain(['+', '-'], () => this.#chain(['*', '/'], () => this.#operand()));
  }

  #chain(operators: readonly ('+' | '-' | '*' | '/')[], next: () => Expression | undefined): Expression | undefined {
    let left = next();
    while (left) {
      const operator = operators.find((each) => each === this.#tokens[this.#index]?.text);
      if (operator === undefined) return left;
      this.#index += 1;
      const right = next();
      left = right && { kind: 'operation', operator, left, right };
    }
    return left;
  }

  #operand(): Expression | undefined {
    const token = this.#tokens[this.#index];
    if (token === undefined || /^[+\-*/),]$/.test(token.text)) return this.#refuse('a field or number is missing');
    this.#index += 1;
    if (token.text === '(') return this.#close(this.#sum());
    const name = expressionFunctions.find((each) => token.text === `${each}(`);
    if (name !== undefined) return this.#call(name);
    const value = /^-?\d/.test(token.text) ? parseRational(token.text) : undefined;
    return value ? { kind: 'number', value } : this.#path(token);
  }

  #call(name: FunctionName): Expression | undefined {
    const operand = this.#sum();
    if (!operand) return undefined;
    let decimals = 0;
    if (name === 'round' && this.#tokens[this.#index]?.text === ',') {
      const written = this.#tokens[this.#index + 1]?.text ?? '';
      this.#index += 1;
      if (!/^\d$/.test(written)) return this.#refuse('the number of decimals, 0 to 9, is missing');
      decimals = Number(written);
      this.#index += 1;
    }
    return this.#close({ kind: 'call', name, operand, decimals });
  }

  #close(expression: Expression | undefined): Expression | undefined {
    if (!expression) return undefined;
    if (this.#tokens[this.#index]?.text !== ')') return this.#refuse('`)` is missing');
    this.#index += 1;
    return expression;
  }

  #path({ text, start }: Token): Expression | undefined {
    const path = parseField(text);
    if (!('problem' in path)) return { kind: 'path', path };
    const { problem, cure } = path;
    this.#report('SCENARIO_FIELD_INVALID', start + path.start, start + Math.max(path.end, path.start + 1), {
      problem,
      cure,
    });
    return undefined;
  }

  #refuse(problem: string): undefined {
    const token = this.#tokens[this.#index];
    const start = token?.start ?? this.#end - 1;
    this.#report('SCENARIO_CHECK_EXPRESSION', start, token ? start + token.text.length : this.#end, { problem });
  }
}

/** Undefined after a report. `offset` is where `text` begins in the check. */
export function parseExpression(text: string, offset: number, report: ReportProblem): Expression | undefined {
  const tokens = tokenize(text, offset);
  const end = Math.max(offset + text.length, offset + 1);
  if (!tokens) {
    report('SCENARIO_CHECK_EXPRESSION', offset, end, {
      problem: 'it has a sign that is neither of a field nor an operator, or is too long',
    });
    return undefined;
  }
  return new ExpressionParser(tokens, end, report).parse();
}

/** In the order in which they are written. */
export function listPaths(expression: Expression): readonly FieldPath[] {
  switch (expression.kind) {
    case 'number':
      return [];
    case 'path':
      return [expression.path];
    case 'operation':
      return [...listPaths(expression.left), ...listPaths(expression.right)];
    default:
      return listPaths(expression.operand);
  }
}
