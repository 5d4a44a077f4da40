/** Reads JSON of unknown shape member by member. */
import { isList, isObjectValue, type Json, type JsonObject, toStringForm } from '../check/json/json.ts';

export function getMember(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let current = value;
  for (const key of keys) {
    if (current === undefined || !isObjectValue(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

export function listItems(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}

export function toObject(value: Json | undefined): JsonObject {
  return value !== undefined && isObjectValue(value) ? value : {};
}

/** The text of a string, number or boolean; empty for anything else. */
export function getText(value: Json | undefined, ...keys: readonly string[]): string {
  const member = getMember(value, ...keys) ?? (keys.length === 0 ? value : undefined);
  if (member === undefined || member === null || isList(member) || isObjectValue(member)) return '';
  return toStringForm(member);
}
