/** The refused form `body has <field> > <number>` (spec: refused by the validator in plain HTTP scenarios). */
import type { ReportProblem } from '../check-kind.ts';
import { parseBodyForm } from './has-form.ts';

const canonicalSigns: Readonly<Record<string, string>> = {
  '>': '>',
  '>=': '>=',
  '=>': '>=',
  '<': '<',
  '<=': '<=',
  '=<': '<=',
};

/** No pattern is suggested for greater numbers. */
const maxPatternNumber = 1e15;

function toInclusiveBound(sign: string, number: number): { min: number } | { max: number } {
  if (sign === '>') return { min: Math.floor(number) + 1 };
  if (sign === '>=') return { min: Math.ceil(number) };
  return { max: sign === '<' ? Math.ceil(number) - 1 : Math.floor(number) };
}

function buildPattern(sign: string, operand: string): string | undefined {
  const number = /^-?\d+(\.\d+)?$/.test(operand) ? Number(operand) : Number.NaN;
  if (Number.isNaN(number) || Math.abs(number) > maxPatternNumber) return undefined;
  const bound = toInclusiveBound(sign, number);
  if ('min' in bound) return bound.min < 0 ? undefined : buildMinPattern(bound.min);
  return bound.max < 0 ? undefined : buildMaxPattern(bound.max);
}

function formatCure(field: string, sign: string, operand: string): string {
  const pattern = buildPattern(sign, operand);
  if (pattern === undefined) return 'match the digits instead, such as `body has count matching ^[1-9][0-9]*$`';
  return `for whole numbers write \`body has ${field} matching ${pattern}\``;
}

/** Why, and where numbers are compared (spec: the validator refuses these signs in plain HTTP scenarios). */
const layerHint =
  'or write `- Layer: HTTP Ingestion + Log`, with or without checks of the log: layers with evidence compare numbers, the plain one matches digits, as the specification has it';

/** Reports a comparison in a check of another form. */
export function reportRefusedSign(text: string, sign: string, report: ReportProblem): void {
  const start = text.lastIndexOf(sign);
  const cure = `say what it equals, if that is known; ${layerHint}`;
  report('SCENARIO_CHECK_COMPARISON', start, text.length, { sign, cure });
}

/** Reports comparisons of the status, and those of the body where they are `refused`. False when there is nothing to report. */
export function reportRefusedComparison(
  text: string,
  comparisons: 'allowed' | 'refused',
  report: ReportProblem,
): boolean {
  const status = /^status\s*(>=?|<=?)/.exec(text);
  if (status !== null) {
    const cure = 'name the one status that is expected, such as `status=200`, or its class, `status=2xx`';
    report('SCENARIO_CHECK_COMPARISON', 0, text.length, { sign: status[1] ?? '', cure });
    return true;
  }
  if (comparisons === 'allowed') return false;
  const form = parseBodyForm(text);
  const sign = form && canonicalSigns[form.keyword.text];
  if (form === undefined || sign === undefined) return false;
  const cure = `${formatCure(form.field.text, sign, form.operand.text)}; ${layerHint}`;
  report('SCENARIO_CHECK_COMPARISON', form.keyword.start, text.length, { sign: form.keyword.text, cure });
  return true;
}

// Patterns that are equivalent to a comparison, for whole numbers from 0 up.

function digitRange(min: number, max: number): string {
  if (min === max) return String(min);
  return min + 1 === max ? `[${min}${max}]` : `[${min}-${max}]`;
}

function anyDigits(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '[0-9]' : `[0-9]{${count}}`;
}

/** Patterns of numbers with as many digits as `bound`, and a greater (or lesser) digit at `position` after an equal beginning. */
function differAtDigit(bound: string, position: number, min: number, max: number): readonly string[] {
  if (min > max) return [];
  return [`${bound.slice(0, position)}${digitRange(min, max)}${anyDigits(bound.length - position - 1)}`];
}

function anchorPattern(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? `^${alternatives[0]}$` : `^(${alternatives.join('|')})$`;
}

/** Matches the whole numbers from `min` (0 or more) up, and nothing else. */
export function buildMinPattern(min: number): string {
  if (min === 0) return '^[0-9]+$';
  const bound = String(min);
  if (/^10*$/.test(bound)) {
    const zeros = bound.length - 1;
    return zeros < 2 ? `^[1-9][0-9]${zeros === 0 ? '*' : '+'}$` : `^[1-9][0-9]{${zeros},}$`;
  }
  const last = bound.length - 1;
  const sameLength = [...bound].flatMap((sign, position) =>
    differAtDigit(bound, position, position === last ? Number(sign) : Number(sign) + 1, 9),
  );
  return anchorPattern([...sameLength.reverse(), `[1-9][0-9]{${bound.length},}`]);
}

/** Matches the whole numbers from 0 up to `max`, and nothing else. */
export function buildMaxPattern(max: number): string {
  const bound = String(max);
  const last = bound.length - 1;
  const shorter = Array.from({ length: last }, (_, count) => (count === 0 ? '[0-9]' : `[1-9]${anyDigits(count)}`));
  const sameLength = [...bound].flatMap((sign, position) =>
    differAtDigit(
      bound,
      position,
      position === 0 && last > 0 ? 1 : 0,
      position === last ? Number(sign) : Number(sign) - 1,
    ),
  );
  return anchorPattern([...shorter, ...sameLength]);
}
