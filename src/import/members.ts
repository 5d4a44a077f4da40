/** Reads JSON of unknown shape member by member. */
import { isList, isObject, type Json, type JsonObject, toStringForm } from '../check/json/json.ts';

export function getMember(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let current = value;
  for (const key of keys) {
    if (current === undefined || !isObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

export function listItems(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}

export function toObject(value: Json | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}

/** The text of a string, number or boolean; empty for anything else. */
export function getText(value: Json | undefined, ...keys: readonly string[]): string {
  const member = getMember(value, ...keys) ?? (keys.length === 0 ? value : undefined);
  if (member === undefined || member === null || isList(member) || isObject(member)) return '';
  return toStringForm(member);
}
