import type { CheckKind } from '../check-kind.ts';
import { type FieldCheck, judgeText } from '../forms/body-value.ts';
import { parseBodyForm, parseFieldPath } from '../forms/has-form.ts';
import {
  explainDistance,
  formatNowOffset,
  isWithinSpan,
  parseWithinOperand,
  type WithinTest,
} from '../forms/within-now.ts';
import { createBodySubject } from '../subjects/body-subject.ts';

export type WithinCheck = FieldCheck & { readonly kind: 'within'; readonly test: WithinTest };

/** `body has <field> within <time> of now`. */
export const withinKind: CheckKind<WithinCheck> = {
  kind: 'within',
  form: 'body has <field> within <time> of now',
  meaning:
    'the value is a date at most so far from the moment the response had arrived, by the executor’s clock; `ms`, `s`, `m`, `h`, `d`; a date without a zone is UTC, a number is seconds or milliseconds since 1970',
  example: 'body has created_at within 1m of now',
  looksAt: 'response',
  counted: true,
  keyword: 'within',
  parse(text, report) {
    const form = parseBodyForm(text);
    if (form?.keyword.text !== 'within') return undefined;
    const field = parseFieldPath(form.field, report);
    const test = parseWithinOperand(form, text.slice(0, form.field.end), report);
    if (field === undefined || test === 'refused') return 'refused';
    return { kind: 'within', field, test, expected: `a date ${formatNowOffset(test)}` };
  },
  judge(check, observation) {
    let distance = '';
    const outcome = judgeText(check, observation, (text) => {
      distance = explainDistance(text, observation.nowMs);
      return isWithinSpan(text, check.test, observation.nowMs);
    });
    return distance === '' ? outcome : { ...outcome, actual: `${outcome.actual}, ${distance}` };
  },
  getSubject: (check, observation, outcome) => createBodySubject(check, observation, outcome),
};
