/** The body that a response must have, as checks: a line of text, or the values of a JSON document. */
import { formatFieldPath } from '../../check/json/format-field-path.ts';
import { isList, isObjectValue, type Json, toStringForm } from '../../check/json/json.ts';
import { readJson } from '../../check/json/read-json.ts';
import type { HurlBody } from './parse-hurl.ts';
import { decodeWrittenBytes } from './written-bytes.ts';

/** `note` says what the checks do not notice. */
export type BodyChecks = { readonly checks: readonly string[]; readonly note: string | undefined };

const maxChecks = 60;

export function createBodyChecks(body: HurlBody, fill: (text: string) => string): BodyChecks {
  const decoded = body.kind === 'reference' ? decodeWrittenBytes(body.text) : undefined;
  if (body.kind === 'reference' && decoded === undefined)
    return {
      checks: [],
      note: body.text.startsWith('file,') ? 'the body is not in the file' : 'no check reads the bytes of a body',
    };
  if (body.kind === 'text' && body.language === 'json') return createJsonChecks(body.text);
  const text = decoded ?? fill(body.text);
  if (!text.includes('\n') && text.trim() !== '') return { checks: [`body text equals ${text}`], note: undefined };
  return { checks: [], note: 'a check compares a body of one line' };
}

function createJsonChecks(text: string): BodyChecks {
  if (/\{\{/.test(text)) return { checks: [], note: 'the body has variables: check its fields' };
  let root: Json;
  try {
    root = readJson(text);
  } catch {
    return { checks: [], note: 'it is not JSON' };
  }
  const checks: string[] = [];
  visit(root, root, [], [], checks);
  const isWhole = checks.length <= maxChecks;
  const note = isWhole
    ? 'its values are checked; further fields are not noticed'
    : `its first ${maxChecks} values are checked`;
  return { checks: checks.slice(0, maxChecks), note };
}

function visit(root: Json, value: Json, steps: readonly string[], isIndex: readonly boolean[], checks: string[]): void {
  if (checks.length > maxChecks) return;
  const field = steps.length === 0 ? '' : formatFieldPath(root, steps, isIndex);
  if (field === undefined) return;
  if (isList(value)) {
    checks.push(`body ${field === '' ? '' : `${field} `}length = ${value.length}`);
    for (const [index, item] of value.entries())
      visit(root, item, [...steps, String(index)], [...isIndex, true], checks);
  } else if (isObjectValue(value)) {
    for (const [key, child] of Object.entries(value)) visit(root, child, [...steps, key], [...isIndex, false], checks);
  } else if (value === '') checks.push(`body has ${field} matching ^$`);
  else if (field !== '') checks.push(createValueCheck(field, toStringForm(value)));
}

/** A number is equal however it is written. */
function createValueCheck(field: string, text: string): string {
  return /^-?\d+\.\d+$/.test(text) ? `body ${field} equals ${text}` : `body has ${field} equals ${text}`;
}
