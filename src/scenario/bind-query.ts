/** Binds a query to its values and the response: one statement with numbered parameters. */

import { explainAbsence } from '../check/json/explain-absence.ts';
import { resolveField } from '../check/json/field-path.ts';
import { toStringForm } from '../check/json/json.ts';
import { parseField } from '../check/json/parse-field-path.ts';
import type { ObservedBody } from '../check/observation.ts';
import { vpError } from '../errors/vp-error.ts';
import { type BindValues, resolvePlaceholder } from './bind.ts';
import type { ScenarioQuery } from './scenario.ts';
import { parseBodyField } from './template.ts';

/** `sql` has `$1`, `$2` … in place of the placeholders; `values` are in that order. A JSON null stays null. */
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
  const resolved = resolveField(body.value, path);
  if (resolved === undefined) throw refused(explainAbsence(body.value, path, conceal));
  return resolved.value === null ? null : toStringForm(resolved.value);
}

/** Adds spaces where a parameter would join an adjacent word, number or sign. */
function spaced(parameter: string, before: string, behind: string): string {
  const apart = /[\w$\u0080-\uffff]/;
  return `${apart.test(before) ? ' ' : ''}${parameter}${apart.test(behind) ? ' ' : ''}`;
}

/**
 * Replaces every placeholder with a separate parameter, so that no value is ever part of the statement's text. Throws
 * SCENARIO_VARIABLE_MISSING where a name has no value, and SCENARIO_QUERY_BODY_MISSING where the response has no such field,
 * with a message that was passed through `conceal` to remove secrets.
 */
export function bindQuery(
  { name, sql }: ScenarioQuery,
  values: BindValues,
  body: ObservedBody,
  conceal?: Conceal,
): BoundQuery {
  const bound: (string | null)[] = [];
  let text = '';
  for (const [index, part] of sql.parts.entries()) {
    if ('text' in part) {
      text += part.text;
      continue;
    }
    const field = parseBodyField(part.placeholder);
    bound.push(
      field === undefined ? resolvePlaceholder(part.placeholder, values) : bodyValue(field, name, body, conceal),
    );
    const next = sql.parts[index + 1];
    text += spaced(`$${bound.length}`, text.slice(-1), next !== undefined && 'text' in next ? next.text.charAt(0) : '');
  }
  return { sql: text, values: bound };
}
