/** A value → the words of a check that holds for it and for its like, behind `body has <field>`. */
import { isList, isObject, stringForm } from '../../check/bounded.ts';
import { Numeral } from '../../check/numeral.ts';
import type { Json } from '../../check/observed.ts';

/** Shapes of texts that are other ones at every run: ids, moments and the like. The first that fits is taken. */
const shapes: readonly (readonly [RegExp, string])[] = [
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

/** A word of a fixed set, such as a state: letters with `_` and `-` between them. */
const word = /^[A-Za-z]+(?:[_-][A-Za-z]+)*$/;
const longestWord = 24;
/** Names of fields whose values are not for a file: nothing of them is written down. */
const telling = /token|secret|password|passwd|key|session|signature|nonce|hash|(?:^|[._"])id$|Id$|_id$/i;

/** Longer texts have no shape that is worth looking for. */
const longestShaped = 500;

/** What to write behind the field; `field` is its name. */
export function shapeOf(value: Json, field: string): string {
  if (typeof value === 'number' || value instanceof Numeral) return `matching ${numberPattern(stringForm(value))}`;
  if (typeof value === 'string') return textShape(value, field);
  if (isList(value)) return value.length === 0 ? 'matching ^\\[' : 'matching ^\\[[^\\]]';
  if (isObject(value)) return Object.keys(value).length === 0 ? 'matching ^\\{' : 'matching ^\\{"';
  return `equals ${stringForm(value)}`;
}

/** The shape of any text that is not empty, for what must not be told. */
export const anyText = 'matching \\S';

function numberPattern(text: string): string {
  if (/^\d+$/.test(text)) return '^[0-9]+$';
  if (/^-\d+$/.test(text)) return '^-?[0-9]+$';
  return /^-?\d+\.\d+$/.test(text) ? '^-?[0-9]+(\\.[0-9]+)?$' : '^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$';
}

function textShape(value: string, field: string): string {
  if (value === '') return 'matching ^$';
  const shape = value.length <= longestShaped ? shapes.find(([form]) => form.test(value))?.[1] : undefined;
  if (shape !== undefined) return `matching ${shape}`;
  if (value.length <= longestWord && word.test(value) && !telling.test(field)) return `equals ${value}`;
  return /[^\t\n\f\r ]/.test(value) ? anyText : 'matching ^\\s+$';
}
