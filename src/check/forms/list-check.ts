/** What checks of all elements of a list share: the values of their path, and the other lists that they are tried with. */
import type { CheckOutcome } from '../check-kind.ts';
import type { FieldPath } from '../json/field-path.ts';
import { isList, type Json } from '../json/json.ts';
import { appendToPointer, findValuesAlong, parsePointer, replaceValueAt } from '../json/json-pointer.ts';
import { formatPointer, type ListWalk, walkLists } from '../json/list-walk.ts';
import type { Observation } from '../observation.ts';
import { createBodySubject } from '../subjects/body-subject.ts';
import { mutateValue } from '../subjects/mutate-value.ts';
import { estimateCopyCost, type Mutation, type Subject } from '../subjects/subject.ts';
import { explainMissingBody } from './body-value.ts';

/** `path` may have no steps: the body itself is the list then. */
export type ListCheck = { readonly path: FieldPath; readonly expected: string };

/** The whole body. */
export const bodyPath: FieldPath = { text: '', steps: [] };

/** The values of the check's path, or the failing outcome where the body is not JSON. */
export function walkBody(
  { path, expected }: ListCheck,
  observation: Observation,
  opensLast = true,
): ListWalk | CheckOutcome {
  const { body } = observation;
  if (body.kind === 'json') return walkLists(body.value, path, opensLast);
  return { passed: false, expected, actual: explainMissingBody(body) };
}

/** The first list on the way of the path, and the values that the check read there. */
export function createListSubject(
  check: ListCheck,
  observation: Observation,
  outcome: CheckOutcome,
): Subject | undefined {
  const { pointer } = outcome;
  const walk = walkBody(check, observation);
  if (pointer === undefined || 'passed' in walk) return undefined;
  const name = formatPointer(pointer).replaceAll('`', '');
  const field = { text: name, steps: [] };
  const subject = createBodySubject({ field, expected: '' }, observation, { ...outcome, pointer });
  const { field: _field, suggestChecks: _suggestChecks, ...common } = subject ?? {};
  if (!subject) return undefined;
  const last = walk.values.at(-1);
  return {
    ...common,
    id: subject.id,
    mutations: subject.mutations,
    ownMutations: ({ size }) => (last === undefined ? [] : mutateElement(observation, walk.locate(-1), last, size)),
  };
}

/** The last value that the path gives is another one. */
function mutateElement({ body }: Observation, pointer: string, value: Json, size: number): Mutation[] {
  if (body.kind !== 'json') return [];
  const steps = parsePointer(pointer);
  const around = findValuesAlong(body.value, steps) ?? [];
  const cost = around.slice(0, -1).reduce((sum: number, each) => sum + estimateCopyCost(each), 0);
  const create = (description: string, affects: Mutation['affects'], getValue: () => Json | undefined): Mutation => ({
    description: `${formatPointer(pointer)} ${description}`,
    affects,
    cost,
    size,
    apply: (observation) => {
      const changed = replaceValueAt(body.value, steps, getValue());
      return { ...observation, body: changed === undefined ? { kind: 'empty' } : { kind: 'json', value: changed } };
    },
  });
  const others = mutateValue(value).map(({ description, create: getValue }) =>
    create(description, 'content', getValue),
  );
  return [create('is gone', 'presence', () => undefined), ...others];
}

/** Adds a member to the value at `pointer`. */
export function mutateAddition(pointer: string, key: string, { body }: Observation): Mutation[] {
  if (body.kind !== 'json') return [];
  const steps = parsePointer(appendToPointer(pointer, key));
  const cost = (findValuesAlong(body.value, parsePointer(pointer)) ?? []).reduce(
    (sum: number, each) => sum + estimateCopyCost(each),
    0,
  );
  return [
    {
      description: `${formatPointer(pointer)} has \`${key}\``,
      affects: 'content',
      cost,
      size: 10,
      apply: (observation) => {
        const value = replaceValueAt(body.value, steps, 'added');
        return { ...observation, body: value === undefined ? { kind: 'empty' } : { kind: 'json', value } };
      },
    },
  ];
}

/** The observation with the list at `pointer` in the opposite order. */
export function reverseListAt(observation: Observation, pointer: string): Observation {
  const { body } = observation;
  if (body.kind !== 'json') return observation;
  const steps = parsePointer(pointer);
  const list = findValuesAlong(body.value, steps)?.at(-1);
  if (list === undefined || !isList(list)) return observation;
  return {
    ...observation,
    body: { kind: 'json', value: replaceValueAt(body.value, steps, list.toReversed()) ?? null },
  };
}
