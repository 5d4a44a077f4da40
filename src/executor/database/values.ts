/**
 * PostgreSQL's text of a value → JSON, without loss: numbers of any size and precision keep their text (`Numeral`), NaN and
 * infinities are strings, booleans are booleans, json and jsonb are what they hold, null is null. Everything else, such as
 * timestamps, uuids, ranges and arrays (`{1,2}`), is the text that PostgreSQL shows: exact, and the same for every type.
 */
import type { CustomTypesConfig } from 'pg';
import type { Json } from '../../check/observed.ts';
import { readJson } from '../../check/read-json.ts';

/** The ids of built-in types never change (pg_type.dat). */
const boolean = 16;
const numbers: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);
const documents: ReadonlySet<number> = new Set([114, 3802]);

/** Never throws: `text` stays as it is where it is not what its type promises. */
export function jsonOf(typeId: number, text: string): Json {
  if (typeId === boolean) return text === 't';
  if (!numbers.has(typeId) && !documents.has(typeId)) return text;
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

/** For the client; it handles nulls itself. All values are asked for as text. */
export const valueTypes: CustomTypesConfig = {
  getTypeParser: (typeId: number) => (text: string) => jsonOf(typeId, text),
};
