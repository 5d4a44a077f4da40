import type { CheckKind } from '../check-kind.ts';
import { type Comparison, compareDecimals, isComparison } from '../forms/decimal.ts';
import { parseSpanMs } from '../forms/within-now.ts';
import { abbreviate } from '../json/describe-value.ts';
import type { Observation } from '../observation.ts';
import type { Mutation } from '../subjects/subject.ts';

export type DurationCheck = {
  readonly kind: 'duration';
  readonly sign: Comparison;
  readonly limitMs: number;
  readonly expected: string;
};

/** Until the whole response was there; undefined where it never was. */
function getDurationMs({ timings }: Observation): number | undefined {
  return timings.bodyMs;
}

/** `duration <= <time>`: of the run, so that every layer may compare it. */
export const durationKind: CheckKind<DurationCheck> = {
  kind: 'duration',
  form: 'duration <= <time>',
  meaning:
    'the whole response had arrived so long after the executor took up the request, connecting included; `ms`, `s`, `m`; also `<`, `>`, `>=`; in every layer',
  example: 'duration <= 300ms',
  looksAt: 'response',
  counted: false,
  readsTime: true,
  parse(text, report) {
    const [, sign = '', space = '', operand = ''] = /^duration\s*([<>=!]+)(\s*)(.*)$/.exec(text) ?? [];
    if (!isComparison(sign) || sign === '=' || sign === '!=') return undefined;
    const limitMs = parseSpanMs(operand);
    if (limitMs !== undefined) return { kind: 'duration', sign, limitMs, expected: `${sign} ${operand}` };
    const start = text.indexOf(sign) + sign.length + space.length;
    if (operand === '') {
      const values = { keyword: sign, example: `duration ${sign} 300ms` };
      report('SCENARIO_CHECK_OPERAND_MISSING', start - sign.length - space.length, text.length, values);
    } else report('SCENARIO_CHECK_SPAN', start, text.length, { written: abbreviate(operand) });
    return 'refused';
  },
  judge({ sign, limitMs, expected }, observation) {
    const durationMs = getDurationMs(observation);
    if (durationMs === undefined) return { passed: false, expected, actual: 'the response did not arrive completely' };
    const passed = compareDecimals(String(durationMs), sign, String(limitMs));
    return { passed, expected, actual: `${Math.round(durationMs * 10) / 10}ms` };
  },
  getSubject: ({ limitMs }) => ({
    id: 'duration',
    mutations: () => [],
    ownMutations: () => [
      mutateDuration('is longer than the limit', limitMs + 1),
      mutateDuration('is shorter than the limit', limitMs / 2),
    ],
  }),
  readingCost: 0,
};

function mutateDuration(description: string, bodyMs: number): Mutation {
  return {
    description: `the duration ${description}`,
    affects: 'content',
    cost: 10,
    size: 0,
    apply: (observation) => ({ ...observation, timings: { ...observation.timings, bodyMs } }),
  };
}
