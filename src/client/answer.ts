/** Light checks of answers: the top level only, because the other side has validated what it stores. */
import { type VpError, vpError } from '../errors/vp-error.ts';

/** The value of a JSON text; undefined when it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for what is `{…}` in JSON. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The check that a value is an object with these members. */
export function objectWith<T extends object>(
  ...members: readonly (keyof T & string)[]
): (value: unknown) => value is T {
  return (value): value is T => isObject(value) && members.every((member) => Object.hasOwn(value, member));
}

/** An answer that no vp control plane gives. */
export function unexpected(url: string, problem: string): VpError {
  return vpError('CONTROL_PLANE_ANSWER_UNEXPECTED', { url, problem });
}
