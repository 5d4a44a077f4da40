import type { TSchema } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import type { RouteDescription } from '../route.ts';
import { createValidator, type Validator } from './validator.ts';

const validators = new WeakMap<TSchema, Validator<unknown>>();

/** Throws INTERNAL, with the errors as detail, when a response does not match its schema. */
export function assertResponseMatchesSchema(
  { operation, response }: Pick<RouteDescription, 'operation' | 'response'>,
  value: unknown,
): void {
  if (!response) return;
  const validator = validators.get(response) ?? createValidator<unknown>(response);
  validators.set(response, validator);
  // As on the wire, where undefined members are absent.
  const serialized: unknown = JSON.parse(JSON.stringify(value));
  if (validator.isValid(serialized)) return;
  const errors = validator.listViolations(serialized, true).map(({ where, problem }) => `response${where} ${problem}`);
  throw vpError('INTERNAL', {}, { detail: `${operation} does not match its schema: ${errors.join('; ')}` });
}
