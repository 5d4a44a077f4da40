/**
 * Names a value in a JSON body: `count`, `database.status`, `data[0].id`, `["a key"].x`. Where a key of the body itself
 * contains a dot, the longest such key is tried first, at every step; shorter readings follow when it leads nowhere.
 * The number of readings tried is bounded by the number of values in the body, because each reading needs its own keys.
 */
import { isList, isObject } from './bounded.ts';
import type { Json } from './observed.ts';

/** A step of a path. `readings`: the plain names from here on joined by dots, longest first, down to the one name. */
export type Step =
  | { readonly kind: 'name'; readonly readings: readonly Reading[] }
  | { readonly kind: 'key'; readonly key: string; readonly pointer: string }
  | { readonly kind: 'index'; readonly index: number; readonly pointer: string };

/** A key to look for, as JSON pointer too, and how many steps it takes. */
export type Reading = { readonly key: string; readonly pointer: string; readonly steps: number };

/** A parsed path; `text` is as written. */
export type FieldPath = { readonly text: string; readonly steps: readonly Step[] };

/** The value found, and where: a JSON pointer (RFC 6901). */
export type Found = { readonly value: Json; readonly pointer: string };

const noPointer = '';

function member(value: Json, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function element(value: Json, index: number): Json | undefined {
  return isList(value) ? value[index] : undefined;
}

/** The value a reading leads to: a member, or the element of a list where the name is a number. */
export function read(value: Json, reading: Reading): Json | undefined {
  const found = member(value, reading.key);
  if (found !== undefined || reading.steps > 1 || !/^\d+$/.test(reading.key)) return found;
  return element(value, Number(reading.key));
}

function resolveFrom(value: Json, path: FieldPath, at: number, pointer: string): Found | undefined {
  const step = path.steps[at];
  if (step === undefined) return { value, pointer };
  if (step.kind === 'name') {
    for (const reading of step.readings) {
      const next = read(value, reading);
      if (next === undefined) continue;
      const found = resolveFrom(next, path, at + reading.steps, pointer + reading.pointer);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const next = step.kind === 'key' ? member(value, step.key) : element(value, step.index);
  return next === undefined ? undefined : resolveFrom(next, path, at + 1, pointer + step.pointer);
}

/** The value at `path`, or undefined when there is none; a null that is there is found. */
export function resolve(body: Json, path: FieldPath): Found | undefined {
  return resolveFrom(body, path, 0, noPointer);
}
