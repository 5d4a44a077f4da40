/** Judging the value of one field of the body; shared by the kinds of the form `body has <field> …`. */
import type { CheckOutcome } from '../check-kind.ts';
import { abbreviate, quoteText } from '../json/describe-value.ts';
import { explainAbsence } from '../json/explain-absence.ts';
import { type FieldMatch, type FieldPath, resolveField } from '../json/field-path.ts';
import { toStringForm } from '../json/json.ts';
import type { Observation, ObservedBody } from '../observation.ts';

/** `expected` is the text of `CheckOutcome.expected`. */
export type FieldCheck = { readonly field: FieldPath; readonly expected: string };

/** The value that a check names, or the failing outcome that says why there is none. */
export function findBodyValue(check: FieldCheck, { body, conceal }: Observation): FieldMatch | CheckOutcome {
  const { field, expected } = check;
  if (body.kind === 'json') {
    const match = resolveField(body.value, field);
    return match ?? { passed: false, expected, actual: explainAbsence(body.value, field, conceal) };
  }
  return { passed: false, expected, actual: explainMissingBody(body) };
}

/** The index with which a path into a list begins. */
export function findElementIndex({ steps: [step] }: FieldPath): number | undefined {
  if (step?.kind === 'index') return step.index;
  const name = step?.kind === 'name' ? (step.candidates.at(-1)?.key ?? '') : '';
  return /^\d+$/.test(name) ? Number(name) : undefined;
}

/** A path that begins without an index leads nowhere in a list: the first element tells that too. */
export function getElementRead({ field }: FieldCheck): number {
  return findElementIndex(field) ?? 0;
}

/** What came instead of JSON. */
export function explainMissingBody(body: Exclude<ObservedBody, { kind: 'json' }>): string {
  if (body.kind === 'empty') return 'an empty body';
  return `a body that is not JSON: ${abbreviate(body.problem)}; it begins with ${quoteText(body.excerpt)}`;
}

/** Compares the string form of the value, secrets concealed. `holds` is a constant function, so that nothing is allocated for it. */
export function judgeText<C extends FieldCheck>(
  check: C,
  observation: Observation,
  holds: (text: string, check: C) => boolean,
): CheckOutcome {
  const match = findBodyValue(check, observation);
  if ('passed' in match) return match;
  const { value, pointer } = match;
  const fullText = toStringForm(value);
  const text = observation.conceal?.(fullText) ?? fullText;
  const actual = typeof value === 'string' ? quoteText(text) : abbreviate(text);
  return { passed: holds(text, check), expected: check.expected, actual, pointer };
}
