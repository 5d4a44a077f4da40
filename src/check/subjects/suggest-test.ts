/** A value → the test that it and similar values pass, as written after `body has <field>`. */
import { isList, isObjectValue, type Json, Numeral, toStringForm } from '../json/json.ts';

/** Patterns of texts that differ in every run, such as ids and timestamps. The first that matches is used. */
const textShapes: readonly (readonly [RegExp, string])[] = [
  [/^tr-\d{8}T\d{9}-/, '^tr-[0-9]{8}T[0-9]{9}-'],
  [
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  ],
  [/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/, '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}'],
  [/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}/, '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}'],
  [/^\d{4}-\d{2}-\d{2}$/, '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'],
  [/^\d+$/, '^[0-9]+$'],
  [/^-?\d+\.\d+$/, '^-?[0-9]+\\.[0-9]+$'],
  [/^v?\d+(\.\d+){1,3}/, '^v?[0-9]+(\\.[0-9]+)+'],
  [/^https?:\/\/./, '^https?://.'],
  [/^\/./, '^/.'],
  [/^[^@\s]+@[^@\s]+$/, '^[^@]+@[^@]+$'],
  [/^[\w-]+\.[\w-]+\.[\w-]+$/, '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$'],
  [/^(?=.*\d)[0-9a-f]{8,}$/, '^[0-9a-f]{8,}$'],
  [/^(?=.*\d)[0-9A-Z]{8,}$/, '^[0-9A-Z]{8,}$'],
  [/^[a-z]+[-_]\w*\d\w*$/i, '^[A-Za-z]+[-_][A-Za-z0-9_]+$'],
];

/** A word of a fixed set, such as a state: letters joined by `_` and `-`. */
const word = /^[A-Za-z]+(?:[_-][A-Za-z]+)*$/;
const maxWordLength = 24;
/** Names of fields whose values must not appear in a file. */
const sensitiveField = /token|secret|password|passwd|key|session|signature|nonce|hash|(?:^|[._"])id$|Id$|_id$/i;

const maxShapedLength = 500;

export function suggestTest(value: Json, field: string): string {
  if (typeof value === 'number' || value instanceof Numeral)
    return `matching ${suggestNumberPattern(toStringForm(value))}`;
  if (typeof value === 'string') return suggestTextTest(value, field);
  if (isList(value)) return value.length === 0 ? 'matching ^\\[' : 'matching ^\\[[^\\]]';
  if (isObjectValue(value)) return Object.keys(value).length === 0 ? 'matching ^\\{' : 'matching ^\\{"';
  return `equals ${toStringForm(value)}`;
}

/** Any text that is not blank: for values that must not be disclosed. */
export const anyTextTest = 'matching \\S';

function suggestNumberPattern(text: string): string {
  if (/^\d+$/.test(text)) return '^[0-9]+$';
  if (/^-\d+$/.test(text)) return '^-?[0-9]+$';
  return /^-?\d+\.\d+$/.test(text) ? '^-?[0-9]+(\\.[0-9]+)?$' : '^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$';
}

function suggestTextTest(value: string, field: string): string {
  if (value === '') return 'matching ^$';
  const shape = value.length <= maxShapedLength ? textShapes.find(([form]) => form.test(value))?.[1] : undefined;
  if (shape !== undefined) return `matching ${shape}`;
  if (value.length <= maxWordLength && word.test(value) && !sensitiveField.test(field)) return `equals ${value}`;
  return /[^\t\n\f\r ]/.test(value) ? anyTextTest : 'matching ^\\s+$';
}
