/**
 * Values with their numbers as they were sent (see `exact-json.ts`), remembered beside the ordinary values that rules and code
 * read. Only for serialization.
 */
import { createObjectNotes } from '../collections/object-notes.ts';
import { isObject } from './json-object.ts';

type JsonObject = Record<string, unknown>;

const exactValues = createObjectNotes<JsonObject>();

/** `exact` is what `parseExactJson` made of the text of `value`; anything but an object says that no number would change. */
export function setExactValue(value: unknown, exact: unknown): void {
  if (isObject(value) && isObject(exact)) exactValues.set(value, exact);
}

/** Undefined where the value is written as it was sent. */
export function findExactValue(value: unknown): JsonObject | undefined {
  return isObject(value) ? exactValues.get(value) : undefined;
}

/** As it was sent, to be written. */
export function toExactValue(value: unknown): unknown {
  return findExactValue(value) ?? value;
}

/** The same for each member of an object. */
export function toExactMembers(members: Readonly<JsonObject>): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, toExactValue(value)]));
}

/** `part` has some members of `whole`. */
export function setExactPart(part: Readonly<JsonObject>, whole: unknown): void {
  const exact = findExactValue(whole);
  if (!exact) return;
  exactValues.set(part, Object.fromEntries(Object.entries(exact).filter(([name]) => Object.hasOwn(part, name))));
}
