/**
 * Keywords and formats of a JSON Schema that are written almost like one that exists. A validator ignores what it does not know
 * (JSON Schema 2020-12, section 6.5), so that `requried` would require nothing and hold for every body.
 */
import { countMistakes } from '../../errors/suggestion.ts';
import { isJsonObject } from './plain-json.ts';
import { annotations, listKeywords, mapKeywords, schemaKeywords } from './schema-keywords.ts';

/** Those that judge a value. */
export const judgingKeywords: ReadonlySet<string> = new Set(
  [
    '$ref $dynamicRef type enum const allOf anyOf oneOf not if dependentSchemas dependentRequired dependencies',
    'properties patternProperties additionalProperties unevaluatedProperties propertyNames required',
    'minProperties maxProperties prefixItems items additionalItems unevaluatedItems contains minItems maxItems',
    'uniqueItems pattern format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
  ].flatMap((line) => line.split(' ')),
);

const otherKeywords: ReadonlySet<string> = new Set([
  ...annotations,
  ...[...listKeywords, ...mapKeywords, ...schemaKeywords],
  ...['$schema', '$id', '$anchor', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary', 'id'],
  ...['minContains', 'maxContains', 'contentEncoding', 'contentMediaType', 'contentSchema', 'nullable', 'writeOnly'],
]);

/** Those of ajv-formats. */
const formats: ReadonlySet<string> = new Set(
  [
    'date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 regex',
    'uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte int32 int64 float double password binary',
  ].flatMap((line) => line.split(' ')),
);

/** Shorter ones are one letter away from other words: `not` and `note`. */
const minComparedLength = 4;

/** The known word that only differs in one letter, in two that are swapped, in case or in separators. */
function findIntended(word: string, known: ReadonlySet<string>): string | undefined {
  const plain = toPlainWord(word);
  return [...known].find(
    (each) => each.length >= minComparedLength && (toPlainWord(each) === plain || countMistakes(word, each) === 1),
  );
}

function toPlainWord(word: string): string {
  return word.replaceAll(/[-_$]/g, '').toLowerCase();
}

function findInSchema(schema: { readonly [key: string]: unknown }): string | undefined {
  for (const [key, value] of Object.entries(schema)) {
    const isKnown = judgingKeywords.has(key) || otherKeywords.has(key) || key.startsWith('x-');
    const intended = isKnown ? undefined : findIntended(key, judgingKeywords);
    if (intended !== undefined) return `it has \`${key}\`, which says nothing: did you mean \`${intended}\`?`;
    const format = key === 'format' && typeof value === 'string' && !formats.has(value) ? value : undefined;
    const intendedFormat = format === undefined ? undefined : findIntended(format, formats);
    if (intendedFormat !== undefined)
      return `it has the format \`${format}\`, which says nothing: did you mean \`${intendedFormat}\`?`;
    const inner = findWithin(key, value);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function findWithin(key: string, value: unknown): string | undefined {
  const isMap = mapKeywords.includes(key) && isJsonObject(value);
  const children = isMap ? Object.values(value) : Array.isArray(value) ? value : [value];
  const hasSchemas = isMap || listKeywords.includes(key) || schemaKeywords.includes(key);
  if (!hasSchemas) return undefined;
  for (const child of children) {
    const problem = findMisspelledKeyword(child);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What is wrong with the first of them, in the schema or in one within it; undefined where there is none. */
export function findMisspelledKeyword(schema: unknown): string | undefined {
  return isJsonObject(schema) ? findInSchema(schema) : undefined;
}
