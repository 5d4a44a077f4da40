/** A query × values × the response → one statement with numbered parameters. */
import { explainAbsence } from '../check/absence.ts';
import { stringForm } from '../check/bounded.ts';
import { resolve } from '../check/field-path.ts';
import type { ObservedBody } from '../check/observed.ts';
import { parseField } from '../check/parse-field.ts';
import { vpError } from '../errors/vp-error.ts';
import { type BindValues, replacementOf } from './bind.ts';
import type { ScenarioQuery } from './scenario.ts';
import { bodyFieldOf } from './template.ts';

/** `sql` has `$1`, `$2` … where placeholders stood; `values` are theirs, in that order. A null of JSON is null. */
export type BoundQuery = { readonly sql: string; readonly values: readonly (string | null)[] };

type Conceal = ((text: string) => string) | undefined;

const nothing: Readonly<Record<Exclude<ObservedBody['kind'], 'json'>, string>> = {
  empty: 'the response has no body',
  not_json: 'the body of the response is not JSON',
};

function bodyValue(field: string, query: string, body: ObservedBody, conceal: Conceal): string | null {
  const refused = (problem: string) =>
    vpError('SCENARIO_QUERY_BODY_MISSING', { placeholder: `\${body.${field}}`, query, problem, field });
  if (body.kind !== 'json') throw refused(nothing[body.kind]);
  const path = parseField(field);
  if ('problem' in path) throw refused(path.problem);
  const found = resolve(body.value, path);
  if (found === undefined) throw refused(explainAbsence(body.value, path, conceal));
  return found.value === null ? null : stringForm(found.value);
}

/** A parameter that would stick to a word, a number or a sign gets spaces. */
function spaced(parameter: string, before: string, behind: string): string {
  const apart = /[\w$\u0080-\uffff]/;
  return `${apart.test(before) ? ' ' : ''}${parameter}${apart.test(behind) ? ' ' : ''}`;
}

/**
 * Replaces every placeholder by a parameter of its own, so that no value is ever part of the statement's text. Throws
 * SCENARIO_VARIABLE_MISSING where a name has no value, and SCENARIO_QUERY_BODY_MISSING where the response has no such field,
 * in words that `conceal` took secrets out of.
 */
export function bindQuery(
  { name, sql }: ScenarioQuery,
  values: BindValues,
  body: ObservedBody,
  conceal?: Conceal,
): BoundQuery {
  const bound: (string | null)[] = [];
  let text = '';
  for (const [at, part] of sql.parts.entries()) {
    if ('text' in part) {
      text += part.text;
      continue;
    }
    const field = bodyFieldOf(part.placeholder);
    bound.push(field === undefined ? replacementOf(part.placeholder, values) : bodyValue(field, name, body, conceal));
    const next = sql.parts[at + 1];
    text += spaced(`$${bound.length}`, text.slice(-1), next !== undefined && 'text' in next ? next.text.charAt(0) : '');
  }
  return { sql: text, values: bound };
}
