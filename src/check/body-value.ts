/** Judging the value of one field of the body; shared by the kinds of the form `body has <field> …`. */
import { explainAbsence } from './absence.ts';
import { bounded, quoted, stringForm } from './bounded.ts';
import { type FieldPath, type Found, resolve } from './field-path.ts';
import type { Observed } from './observed.ts';
import type { Outcome } from './outcome.ts';

/** What such a check holds: where to look, and the words for `Outcome.expected`. */
export type FieldCheck = { readonly field: FieldPath; readonly expected: string };

/** The value a check asks for, or the failing outcome that says why there is none. */
export function lookUp(check: FieldCheck, { body, conceal }: Observed): Found | Outcome {
  if (body.kind === 'json') {
    const found = resolve(body.value, check.field);
    return (
      found ?? { passed: false, expected: check.expected, actual: explainAbsence(body.value, check.field, conceal) }
    );
  }
  const actual =
    body.kind === 'empty'
      ? 'an empty body'
      : `a body that is not JSON: ${bounded(body.problem)}; it begins with ${quoted(body.excerpt)}`;
  return { passed: false, expected: check.expected, actual };
}

/** Compares the string form of the value, secrets concealed. `holds` is a constant function, so that nothing is allocated for it. */
export function judgeText<C extends FieldCheck>(
  check: C,
  observed: Observed,
  holds: (text: string, check: C) => boolean,
): Outcome {
  const found = lookUp(check, observed);
  if ('passed' in found) return found;
  const { value, pointer } = found;
  const plain = stringForm(value);
  const text = observed.conceal?.(plain) ?? plain;
  const actual = typeof value === 'string' ? quoted(text) : bounded(text);
  return { passed: holds(text, check), expected: check.expected, actual, pointer };
}
