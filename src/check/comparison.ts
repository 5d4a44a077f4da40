/** The refused form `body has <field> > <number>` (spec: refused by the validator in plain HTTP scenarios). */
import { readBodyForm } from './body-form.ts';
import type { ReportProblem } from './kind.ts';
import { patternAtLeast, patternAtMost } from './number-pattern.ts';

const signs: Readonly<Record<string, string>> = { '>': '>', '>=': '>=', '=>': '>=', '<': '<', '<=': '<=', '=<': '<=' };

/** Greatest number for which a pattern is proposed. */
const greatest = 1e15;

function inclusive(sign: string, number: number): { least: number } | { most: number } {
  if (sign === '>') return { least: Math.floor(number) + 1 };
  if (sign === '>=') return { least: Math.ceil(number) };
  return { most: sign === '<' ? Math.ceil(number) - 1 : Math.floor(number) };
}

function patternFor(sign: string, operand: string): string | undefined {
  const number = /^-?\d+(\.\d+)?$/.test(operand) ? Number(operand) : Number.NaN;
  if (Number.isNaN(number) || Math.abs(number) > greatest) return undefined;
  const bound = inclusive(sign, number);
  if ('least' in bound) return bound.least < 0 ? undefined : patternAtLeast(bound.least);
  return bound.most < 0 ? undefined : patternAtMost(bound.most);
}

function cureFor(field: string, sign: string, operand: string): string {
  const pattern = patternFor(sign, operand);
  if (pattern === undefined) return 'match the digits instead, such as `body has count matching ^[1-9][0-9]*$`';
  return `for whole numbers write \`body has ${field} matching ${pattern}\``;
}

/** Reports a comparison that cannot be: of the status in every layer, of the body where they are `refused`. False: it is none. */
export function refuseComparison(text: string, comparisons: 'allowed' | 'refused', report: ReportProblem): boolean {
  const status = /^status\s*(>=?|<=?)/.exec(text);
  if (status !== null) {
    const cure = 'name the one status that is expected, such as `status=200`';
    report('SCENARIO_CHECK_COMPARISON', 0, text.length, { sign: status[1] ?? '', cure });
    return true;
  }
  if (comparisons === 'allowed') return false;
  const form = readBodyForm(text);
  const sign = form && signs[form.keyword.text];
  if (form === undefined || sign === undefined) return false;
  const cure = cureFor(form.field.text, sign, form.operand.text);
  report('SCENARIO_CHECK_COMPARISON', form.keyword.start, text.length, { sign: form.keyword.text, cure });
  return true;
}
