/**
 * Converts PostgreSQL's text of a value to JSON without loss: numbers of any size and precision keep their text
 * (`Numeral`), NaN and infinities are strings, json and jsonb are parsed, null is null. Everything else, such as
 * timestamps, uuids, ranges and arrays (`{1,2}`), is PostgreSQL's text: exact, and the same for every type.
 */
import type { CustomTypesConfig } from 'pg';
import type { Json } from '../../check/json/json.ts';
import { readJson } from '../../check/json/read-json.ts';
import { findConflictingKey } from '../../check/json/repeated-keys.ts';

/** The ids of built-in types never change (pg_type.dat). */
const booleanType = 16;
const numberTypes: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);
const jsonType = 114;
const jsonTypes: ReadonlySet<number> = new Set([jsonType, 3802]);

/**
 * Never throws: returns `text` unchanged when it does not match its type, and where a key of a json document occurs twice with
 * different values, of which readers see one or the other. jsonb has stored the last one only.
 */
export function parseValue(typeId: number, text: string): Json {
  if (typeId === booleanType) return text === 't';
  if (!numberTypes.has(typeId) && !jsonTypes.has(typeId)) return text;
  try {
    const value = readJson(text);
    return typeId === jsonType && findConflictingKey(text, value) !== undefined ? text : value;
  } catch {
    return text;
  }
}

/** For the pg client, which handles nulls itself. All values are requested as text. */
export const valueTypes: CustomTypesConfig = {
  getTypeParser: (typeId: number) => (text: string) => parseValue(typeId, text),
};
