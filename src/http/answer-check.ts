import type { TSchema } from '@sinclair/typebox';
import { vpError } from '../errors/vp-error.ts';
import type { RouteFacts } from './route.ts';
import { type Validator, validatorOf } from './validator.ts';

const validators = new WeakMap<TSchema, Validator<unknown>>();

/** Throws INTERNAL, with the faults as detail, when a route answers something else than it promises. */
export function answerCheck({ operation, answer }: Pick<RouteFacts, 'operation' | 'answer'>, value: unknown): void {
  if (!answer) return;
  const validator = validators.get(answer) ?? validatorOf<unknown>(answer);
  validators.set(answer, validator);
  // As it will be on the wire, where undefined members are absent.
  const sent: unknown = JSON.parse(JSON.stringify(value));
  if (validator.accepts(sent)) return;
  const faults = validator.faults(sent, true).map(({ where, problem }) => `answer${where} ${problem}`);
  throw vpError('INTERNAL', {}, { detail: `${operation} breaks its schema: ${faults.join('; ')}` });
}
