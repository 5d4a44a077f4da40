/**
 * Names a value in a JSON body: `count`, `database.status`, `data[0].id`, `["a key"].x`. Where a key of the body itself
 * contains a dot, the longest such key is tried first, at every step; shorter readings follow when it leads nowhere.
 * The number of attempts is bounded by the number of values in the body, because each reading needs keys of its own.
 */
import { isList, isObjectValue, type Json } from './json.ts';

/** `candidates`: the plain names from here on joined by dots, longest first, down to the single name. */
export type PathStep =
  | { readonly kind: 'name'; readonly candidates: readonly KeyCandidate[] }
  | { readonly kind: 'key'; readonly key: string; readonly pointer: string }
  | { readonly kind: 'index'; readonly index: number; readonly pointer: string };

/** A key that a step may mean, also as a JSON pointer, and the number of steps that it covers. */
export type KeyCandidate = { readonly key: string; readonly pointer: string; readonly steps: number };

/** `text` is as written. */
export type FieldPath = { readonly text: string; readonly steps: readonly PathStep[] };

/** A value and its JSON pointer (RFC 6901). */
export type FieldMatch = { readonly value: Json; readonly pointer: string };

const noPointer = '';

export function getOwnMember(value: Json, key: string): Json | undefined {
  return isObjectValue(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function getElement(value: Json, index: number): Json | undefined {
  return isList(value) ? value[index] : undefined;
}

/** The value of a candidate: a member, or the element of a list where the name is a number. */
export function readKeyCandidate(value: Json, candidate: KeyCandidate): Json | undefined {
  const member = getOwnMember(value, candidate.key);
  if (member !== undefined || candidate.steps > 1 || !isList(value) || !/^\d+$/.test(candidate.key)) return member;
  return value[Number(candidate.key)];
}

function resolveFromStep(value: Json, path: FieldPath, stepIndex: number, pointer: string): FieldMatch | undefined {
  const step = path.steps[stepIndex];
  if (step === undefined) return { value, pointer };
  if (step.kind === 'name') {
    for (const candidate of step.candidates) {
      const next = readKeyCandidate(value, candidate);
      if (next === undefined) continue;
      const match = resolveFromStep(next, path, stepIndex + candidate.steps, pointer + candidate.pointer);
      if (match !== undefined) return match;
    }
    return undefined;
  }
  const next = step.kind === 'key' ? getOwnMember(value, step.key) : getElement(value, step.index);
  return next === undefined ? undefined : resolveFromStep(next, path, stepIndex + 1, pointer + step.pointer);
}

/** Undefined when there is no value; null is a value. */
export function resolveField(body: Json, path: FieldPath): FieldMatch | undefined {
  return resolveFromStep(body, path, 0, noPointer);
}
