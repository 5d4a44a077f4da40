/** Checks of JSON responses: the top level only, because the server has validated what it stores. */

import { type VpError, vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';

/** A guard that checks for an object with these members. */
export function createObjectGuard<T extends object>(
  ...members: readonly (keyof T & string)[]
): (value: unknown) => value is T {
  return (value): value is T => isObject(value) && members.every((member) => Object.hasOwn(value, member));
}

/** For a response that a vp control plane never gives. */
export function createUnexpectedResponseError(url: string, problem: string): VpError {
  return vpError('CONTROL_PLANE_ANSWER_UNEXPECTED', { url, problem });
}
