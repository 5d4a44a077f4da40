/**
 * Gives the larger parts of a schema a function of their own. ajv makes one function of all that is not a reference: that of a report
 * had 4,000 lines, with each part as often as it occurs, and V8 did not optimize it for the first 12,000 calls.
 */
import { isObject } from '../../json/json-object.ts';
import { dataKeywords, type JsonSchema } from './draft-2020.ts';

/** Objects with fewer members are checked where they occur: a call would cost more. */
const minProperties = 4;

/** The same schema with its larger objects in `$defs`, each once. */
export function withSharedParts(schema: JsonSchema): JsonSchema {
  const names = new Map<string, string>();
  const parts: Record<string, JsonSchema> = {};
  const moveMembers = (value: object): JsonSchema =>
    Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, dataKeywords.has(key) ? member : moveParts(member)]),
    );
  const moveParts = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moveParts);
    if (!isObject(value)) return value;
    const part = moveMembers(value);
    if (!isLargeObject(value)) return part;
    const text = JSON.stringify(part);
    const name = names.get(text) ?? `part${names.size}`;
    names.set(text, name);
    parts[name] = part;
    return { $ref: `#/$defs/${name}` };
  };
  const root = moveMembers(schema);
  return names.size === 0 ? schema : { ...root, $defs: parts };
}

function isLargeObject({ type, properties }: Readonly<Record<string, unknown>>): boolean {
  return type === 'object' && isObject(properties) && Object.keys(properties).length >= minProperties;
}
