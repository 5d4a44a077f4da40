/** Two JSON values → where they differ; and values without the parts that a comparison ignores. */
import { formatValue } from './describe-value.ts';
import { type FieldPath, readKeyCandidate } from './field-path.ts';
import { isList, isObjectValue, type Json, type JsonObject, toStringForm } from './json.ts';
import { appendToPointer, omitKey } from './json-pointer.ts';
import { formatPointer } from './list-walk.ts';

export type Difference = { readonly pointer: string; readonly text: string };

/** More do not help. */
const maxDifferences = 20;

type Comparison = { readonly differences: Difference[]; readonly conceal: ((text: string) => string) | undefined };

function add({ differences }: Comparison, pointer: string, text: string): void {
  differences.push({ pointer, text: `${formatPointer(pointer)} ${text}` });
}

function compareObjects(expected: JsonObject, actual: JsonObject, pointer: string, comparison: Comparison): void {
  for (const [key, value] of Object.entries(expected)) {
    const child = appendToPointer(pointer, key);
    const other = Object.hasOwn(actual, key) ? actual[key] : undefined;
    if (other === undefined) add(comparison, child, 'is missing');
    else compare(value, other, child, comparison);
  }
  for (const key of Object.keys(actual))
    if (!Object.hasOwn(expected, key)) add(comparison, appendToPointer(pointer, key), 'is not in the file');
}

function compareLists(
  expected: readonly Json[],
  actual: readonly Json[],
  pointer: string,
  comparison: Comparison,
): void {
  if (expected.length !== actual.length)
    add(comparison, pointer, `has ${actual.length} elements, not ${expected.length}`);
  for (const [index, value] of expected.slice(0, actual.length).entries())
    compare(value, actual[index] ?? null, appendToPointer(pointer, String(index)), comparison);
}

function compare(expected: Json, actual: Json, pointer: string, comparison: Comparison): void {
  const { differences, conceal } = comparison;
  if (differences.length >= maxDifferences) return;
  if (isObjectValue(expected) && isObjectValue(actual)) compareObjects(expected, actual, pointer, comparison);
  else if (isList(expected) && isList(actual)) compareLists(expected, actual, pointer, comparison);
  else {
    const text = toStringForm(actual);
    const isSameType =
      typeof expected === typeof actual &&
      isList(expected) === isList(actual) &&
      isObjectValue(expected) === isObjectValue(actual);
    if (isSameType && toStringForm(expected) === (conceal?.(text) ?? text)) return;
    add(comparison, pointer, `is ${formatValue(actual, conceal)}, not ${formatValue(expected, undefined)}`);
  }
}

/** In the order of `expected`; empty where the values are equal. Numbers are equal as they are written: `1.0` is not `1`. */
export function compareJson(
  expected: Json,
  actual: Json,
  conceal: ((text: string) => string) | undefined,
): readonly Difference[] {
  const comparison: Comparison = { differences: [], conceal };
  compare(expected, actual, '', comparison);
  return comparison.differences;
}

/** A path through a list leads into each of its elements. An element of a list that is left out becomes null. */
export function omitPath(value: Json, path: FieldPath, from = 0): Json | undefined {
  const step = path.steps[from];
  if (step === undefined) return undefined;
  if (isList(value)) {
    const index = step.kind === 'index' ? step.index : undefined;
    return value.map((element, position) => {
      if (index !== undefined && position !== index) return element;
      return omitPath(element, path, index === undefined ? from : from + 1) ?? null;
    });
  }
  if (!isObjectValue(value) || step.kind === 'index') return value;
  const candidates = step.kind === 'key' ? [{ key: step.key, pointer: step.pointer, steps: 1 }] : step.candidates;
  const candidate = candidates.find((each) => readKeyCandidate(value, each) !== undefined);
  if (!candidate) return value;
  const next = omitPath(value[candidate.key] ?? null, path, from + candidate.steps);
  return next === undefined ? omitKey(value, candidate.key) : { ...value, [candidate.key]: next };
}
