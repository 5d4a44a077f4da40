/** Selects values of a probe's response: `status`, `header.<name>`, `body.<path>`, `shape`. */
import { formatValue } from '../../check/json/describe-value.ts';
import { explainAbsence } from '../../check/json/explain-absence.ts';
import { resolveField } from '../../check/json/field-path.ts';
import { isList, isObjectValue, type Json } from '../../check/json/json.ts';
import { walkLists } from '../../check/json/list-walk.ts';
import { parseField } from '../../check/json/parse-field-path.ts';
import { readJson } from '../../check/json/read-json.ts';
import type { Report } from '../../report/report.ts';
import { truncate } from '../tools/result-text.ts';

type ProbeResponse = NonNullable<Report['exchange']['response']>;

/** Values of a list that one selection shows, and characters of each. */
const limits = { values: 50, value: 300, shape: 1500 } as const;

/** The selected values by their selectors, each as a short text. */
export function selectResponseValues(response: ProbeResponse, selectors: readonly string[]): Record<string, string> {
  const body = readBody(response);
  return Object.fromEntries(
    selectors.map((selector) => [selector, truncate(select(selector, response, body), limits.shape)]),
  );
}

type SelectableBody = { readonly value: Json } | { readonly problem: string };

function readBody({ body: { text, truncated } }: ProbeResponse): SelectableBody {
  if (text === null) return { problem: 'the body is not text' };
  if (text === '') return { problem: 'the body is empty' };
  if (truncated) return { problem: 'the body is too large to select from: request less, for example by paging' };
  try {
    return { value: readJson(text) };
  } catch {
    return { problem: 'the body is not JSON' };
  }
}

function select(selector: string, { status, headers }: ProbeResponse, body: SelectableBody): string {
  if (selector === 'status') return String(status);
  const header = /^headers?\.(.+)$/.exec(selector)?.[1];
  if (header !== undefined) {
    const values = headers.filter(([name]) => name.toLowerCase() === header.toLowerCase());
    return values.length === 0 ? 'absent' : values.map(([, value]) => truncate(value, limits.value)).join(', ');
  }
  if ('problem' in body) return body.problem;
  if (selector === 'shape') return describeNestedShape(body.value, 0);
  const path = parseField(selector.replace(/^body\.?(?=.)/, ''));
  if ('problem' in path) return `${path.problem}: ${path.cure}`;
  if (selector === 'body') return formatValue(body.value, undefined);
  const match = resolveField(body.value, path);
  if (match) return formatSelected(match.value);
  const walk = walkLists(body.value, path, false);
  if (walk.values.length === 0) return explainAbsence(body.value, path);
  const listed = walk.values.slice(0, limits.values).map(formatSelected);
  const more = walk.values.length > listed.length ? `, … ${walk.values.length} in all` : '';
  return `${listed.join(', ')}${more}`;
}

function formatSelected(value: Json): string {
  return isList(value) || isObjectValue(value)
    ? truncate(JSON.stringify(value), limits.value)
    : formatValue(value, undefined);
}

const maxDepth = 5;
const maxMembers = 30;

/** `{ data: list of 3 of { id: number }, count: number }`: what a check can name. */
function describeNestedShape(value: Json, depth: number): string {
  if (value === null) return 'null';
  if (isList(value)) {
    const [first] = value;
    return first === undefined ? 'empty list' : `list of ${value.length} of ${describeNestedShape(first, depth + 1)}`;
  }
  if (!isObjectValue(value)) return typeof value === 'object' ? 'number' : typeof value;
  if (depth >= maxDepth) return 'object';
  const names = Object.keys(value);
  const members = names
    .slice(0, maxMembers)
    .map((name) => `${name}: ${describeNestedShape(value[name] ?? null, depth + 1)}`);
  return `{ ${members.join(', ')}${names.length > maxMembers ? ', …' : ''} }`;
}
