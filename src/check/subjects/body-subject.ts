/** A value of the body as the subject of checks, and the other bodies that it is tried with. */
import type { CheckOutcome } from '../check-kind.ts';
import type { FieldCheck } from '../forms/body-value.ts';
import { abbreviate } from '../json/describe-value.ts';
import { type Json, toStringForm } from '../json/json.ts';
import { findValuesAlong, isolateValueAt, parsePointer, replaceValueAt } from '../json/json-pointer.ts';
import type { Observation } from '../observation.ts';
import { concealScalar, mutateValue } from './mutate-value.ts';
import { estimateCopyCost, type Mutation, type Subject } from './subject.ts';
import { suggestTest } from './suggest-test.ts';

/** A value in a body. `path` holds the values on the way to it, the body first, the value itself last. */
export type BodyLocation = {
  readonly name: string;
  readonly steps: readonly string[];
  readonly path: readonly Json[];
  /** As checks see it. */
  readonly value: Json;
};

export function getBodySubjectId(pointer: string): string {
  return `body${pointer}`;
}

/** Innermost first; the whole body last. */
function getContainerIds(pointer: string): string[] {
  const ids: string[] = [];
  for (let end = pointer.lastIndexOf('/'); end >= 0; end = pointer.lastIndexOf('/', end - 1)) {
    ids.push(getBodySubjectId(pointer.slice(0, end)));
    if (end === 0) break;
  }
  return ids;
}

/** The subject of a check that read a value of a JSON body. `searchedText`: what the check searches for in the value. */
export function createBodySubject(
  { field }: FieldCheck,
  observation: Observation,
  { pointer }: CheckOutcome,
  searchedText?: string,
): Subject | undefined {
  if (pointer === undefined || observation.body.kind !== 'json') return undefined;
  const steps = parsePointer(pointer);
  const path = findValuesAlong(observation.body.value, steps);
  const original = path?.at(-1);
  if (!path || original === undefined) return undefined;
  const location = { name: field.text, steps, path, value: concealScalar(original, observation) };
  // Where a key of the body contains a dot, another reading of the path may find a value when this one is gone.
  const hasOtherReadings = steps.length < field.steps.length;
  return {
    id: getBodySubjectId(pointer),
    containers: getContainerIds(pointer),
    field: field.text,
    measure: (measureValue) => measureValue(location.value),
    mutations: ({ size, isReadAround }) => mutateBody(location, size, isReadAround || hasOtherReadings),
    ownMutations: ({ size, isReadAround }) =>
      searchedText === undefined
        ? []
        : [removeText(location, size, isReadAround || hasOtherReadings, searchedText, observation)],
    suggestChecks: () => [`body has ${field.text} ${suggestTest(location.value, field.text)}`],
  };
}

/** `keepsSurroundings`: checks may read what stands around the value. */
export function mutateBody(location: BodyLocation, size: number, keepsSurroundings: boolean): Mutation[] {
  const { name, value } = location;
  const replace = createReplacer(location, keepsSurroundings);
  const others = mutateValue(value).map(({ description, isLarge, create }): Mutation => {
    const mutation = replace(`\`${name}\` ${description}`, 'content', create);
    return isLarge ? { ...mutation, cost: mutation.cost + estimateCopyCost(value), size } : mutation;
  });
  return [replace(`\`${name}\` is gone`, 'presence', () => undefined), ...others];
}

function removeText(
  location: BodyLocation,
  size: number,
  keepsSurroundings: boolean,
  searchedText: string,
  { conceal }: Observation,
): Mutation {
  const { name, value } = location;
  const replace = createReplacer(location, keepsSurroundings);
  const mutation = replace(`\`${name}\` is without \`${abbreviate(searchedText)}\``, 'content', () => {
    const text = toStringForm(value);
    return (conceal?.(text) ?? text).replaceAll(searchedText, '');
  });
  return { ...mutation, cost: mutation.cost + size, size };
}

/** Creates mutations that put another value, or none, in the location. */
function createReplacer({ steps, path }: BodyLocation, keepsSurroundings: boolean) {
  const replaceValue = keepsSurroundings ? replaceValueAt : isolateValueAt;
  const cost = keepsSurroundings
    ? path.slice(0, -1).reduce((sum: number, container) => sum + estimateCopyCost(container), 0)
    : 100;
  return (description: string, affects: Mutation['affects'], create: () => Json | undefined): Mutation => ({
    description,
    affects,
    cost,
    size: affects === 'presence' ? 0 : 10,
    apply: (observation) => withBody(observation, replaceValue(path[0] ?? null, steps, create())),
  });
}

function withBody(observation: Observation, value: Json | undefined): Observation {
  return { ...observation, body: value === undefined ? { kind: 'empty' } : { kind: 'json', value } };
}
