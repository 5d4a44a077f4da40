/** JSON pointers (RFC 6901), and values with one part replaced. */
import { isList, isObjectValue, type Json, type JsonObject } from './json.ts';

/** The keys and indices of a pointer. */
export function parsePointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function appendToPointer(parent: string, step: string): string {
  return `${parent}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The values on the way from `body` along `steps`, the body first; undefined where a step does not exist. */
export function findValuesAlong(body: Json, steps: readonly string[]): readonly Json[] | undefined {
  const values: Json[] = [body];
  let value = body;
  for (const step of steps) {
    const next = getChild(value, step);
    if (next === undefined) return undefined;
    values.push(next);
    value = next;
  }
  return values;
}

function getChild(value: Json, step: string): Json | undefined {
  if (isList(value)) return value[Number(step)];
  return isObjectValue(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/**
 * `body` with `value` at `steps`, sharing everything beside the way to it. Undefined removes the value, and from a list also
 * all items after it.
 */
export function replaceValueAt(body: Json, steps: readonly string[], value: Json | undefined): Json | undefined {
  const [step, ...inner] = steps;
  if (step === undefined) return value;
  if (isList(body)) {
    const next = replaceValueAt(body[Number(step)] ?? null, inner, value);
    if (next === undefined) return body.slice(0, Number(step));
    const items = body.slice(); // Four times as fast as `with`.
    items[Number(step)] = next;
    return items;
  }
  if (!isObjectValue(body)) return body;
  const next = replaceValueAt(body[step] ?? null, inner, value);
  return next === undefined ? omitKey(body, step) : { ...body, [step]: next };
}

/** The same without everything beside the way to it: cheap on large bodies, for checks that read only this value. */
export function isolateValueAt(body: Json, steps: readonly string[], value: Json | undefined): Json | undefined {
  const [step, ...inner] = steps;
  if (step === undefined) return value;
  const child = getChild(body, step) ?? null;
  const next = isolateValueAt(child, inner, value);
  if (!isList(body)) return next === undefined ? {} : { [step]: next };
  const items: Json[] = [];
  if (next !== undefined) items[Number(step)] = next;
  return items;
}

export function omitKey(value: JsonObject, key: string): JsonObject {
  const { [key]: _removed, ...others } = value;
  return others;
}
