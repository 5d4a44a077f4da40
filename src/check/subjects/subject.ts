/**
 * The seam between check kinds and `vp prove`: a kind describes what a check names in an observation (its subject) and how
 * that could have been different (mutations). The proof applies each mutation and judges the checks again.
 */
import { isList, isObjectValue, type Json } from '../json/json.ts';
import type { Observation } from '../observation.ts';

/** A different observation. Costs are in the units of the proof's work budget: one is about 5 ns of a common processor. */
export type Mutation = {
  /** Such as `count` is null. Holds no value of the evidence, which may be secret. */
  readonly description: string;
  /** `presence`: the subject is missing. `content`: it is there and different. */
  readonly affects: 'presence' | 'content';
  /** Cost of `apply`. */
  readonly cost: number;
  /** Characters, about, that a check of the changed subject reads. */
  readonly size: number;
  /** Returns a new observation that shares everything unchanged. */
  apply(observation: Observation): Observation;
};

export type MutationContext = {
  readonly observation: Observation;
  /** The result of `measure`. */
  readonly size: number;
  /** True where checks of a container read the subject too, so that a mutation must keep its surroundings. */
  readonly isReadAround: boolean;
};

/** What a check names. Checks whose subjects have the same id share the mutations of the first of them. */
export type Subject = {
  /** Such as `status`, `body/data/0`, `log/level`. */
  readonly id: string;
  /** Ids of the subjects that contain it, innermost first. Their checks are judged on its mutations and vice versa. */
  readonly containers?: readonly string[];
  /** Subjects of one group change together: each check of the group is judged on the mutations of all of them. */
  readonly group?: string;
  /** Characters, about, that a check of it reads; 0 where it is absent. `measureValue` counts those of a JSON value. */
  measure?(measureValue: (value: Json) => number): number;
  mutations(context: MutationContext): readonly Mutation[];
  /** Further mutations that follow from the check itself, such as: the text that it looks for is missing. */
  ownMutations?(context: MutationContext): readonly Mutation[];
  /** The field as the check writes it, where the subject is a value of the body. */
  readonly field?: string;
  /** Checks of the same subject that could replace one that never fails; the first that passes is suggested. */
  suggestChecks?(): readonly string[];
};

/** A part of the observation that no check names. The first of `suggestions` that passes is proposed; none where none does. */
export type UncheckedCandidate = {
  /** `status`, or the beginning of a check, such as `db rows`. */
  readonly pointer: string;
  /** The value in short. */
  readonly value: string;
  readonly suggestions: readonly string[];
};

/** The same mutation for a subject that disappears with its container. */
export function toPresenceMutation(mutation: Mutation): Mutation {
  return { ...mutation, affects: 'presence' };
}

/** Cost of copying a list or object: lists are copied as they are, large objects key by key. */
export function estimateCopyCost(value: Json): number {
  if (isList(value)) return value.length + 20;
  if (!isObjectValue(value)) return 0;
  const { length } = Object.keys(value);
  return length * (length > 64 ? 128 : 10) + 20;
}
