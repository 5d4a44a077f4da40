/** The values of a JSON body that no check looks at. */
import type { CheckKind } from '../../check/check-kind.ts';
import { describeValue } from '../../check/json/describe-value.ts';
import { formatFieldPath } from '../../check/json/format-field-path.ts';
import { isList, isObjectValue, type Json } from '../../check/json/json.ts';
import { appendToPointer, findValuesAlong, parsePointer } from '../../check/json/json-pointer.ts';
import type { Observation } from '../../check/observation.ts';
import { getBodySubjectId, mutateBody } from '../../check/subjects/body-subject.ts';
import { concealScalar } from '../../check/subjects/mutate-value.ts';
import { suggestTest } from '../../check/subjects/suggest-test.ts';
import type { JudgedCheck } from '../verdict.ts';
import type { UncheckedPart } from './proof.ts';
import { type FieldRelation, findRelation } from './related-fields.ts';
import { classifyReaderCost, type SubjectGroups } from './subject-groups.ts';
import { findPassingCheckText } from './suggest.ts';
import { isFailedBy } from './try-mutations.ts';
import { estimateJudgingCost, type WorkBudget } from './work-budget.ts';

/** Leaves that are tried on the checks around them, and values that are visited on the way to them. */
const maxLeaves = 300;
const maxVisitedValues = 5000;
/** Steps of a path that the parser accepts. */
const maxDepth = 64;

type Node = { readonly steps: readonly string[]; readonly isIndex: readonly boolean[]; readonly path: readonly Json[] };

/** A scalar, or an empty list or object. */
type Leaf = Node & { readonly pointer: string; readonly value: Json };

export type UncheckedContext = {
  readonly checks: readonly JudgedCheck[];
  readonly groups: SubjectGroups;
  readonly observation: Observation;
  readonly work: WorkBudget;
  readonly kinds: readonly CheckKind[];
};

/** At most `maxParts` leaves, the least deep ones first. Of a list the first item represents all. */
export function findUncheckedLeaves(
  context: UncheckedContext,
  maxParts: number,
): { readonly parts: readonly UncheckedPart[]; readonly changes: number } {
  const { checks, observation } = context;
  if (observation.body.kind !== 'json') return { parts: [], changes: 0 };
  const body = observation.body.value;
  const checkedPaths = new Set(checks.flatMap((entry) => formatCheckedPaths(entry, body)));
  const parts: UncheckedPart[] = [];
  let changes = 0;
  for (const leaf of walkLeaves(body, observation)) {
    if (parts.length >= maxParts) break;
    if (checkedPaths.has(formatGeneralPath(leaf.steps, leaf.isIndex))) continue;
    const result = tryReaders(leaf, context);
    changes += result.changes;
    if (!result.isNoticed) parts.push(...toPart(leaf, body, context));
  }
  return { parts, changes };
}

function toPart(
  { pointer, steps, isIndex, path, value }: Leaf,
  body: Json,
  context: UncheckedContext,
): UncheckedPart[] {
  const field = formatFieldPath(body, steps, isIndex);
  if (field === undefined) return [];
  const relation = findRelation(path.at(-2), steps.at(-1) ?? '', value);
  if (relation) {
    const holder = { steps: steps.slice(0, -1), isIndex: [...isIndex.slice(0, -1), false] };
    return toRelatedPart({ pointer, field, value }, relation, (name) => {
      return formatFieldPath(body, [...holder.steps, name], holder.isIndex) ?? name;
    });
  }
  const test = suggestTest(value, field);
  const suggestion = findPassingCheckText([`body has ${field} ${test}`], context.observation, context.kinds);
  return suggestion === undefined ? [] : [{ pointer, field, value: describeValue(value), suggestion }];
}

/** A pattern would pass for any other number. Where the relation does not hold, the note says so: it may be a fault. */
function toRelatedPart(
  { pointer, field, value }: { readonly pointer: string; readonly field: string; readonly value: Json },
  { words, holds, format }: FieldRelation,
  toPath: (name: string) => string,
): UncheckedPart[] {
  const note = holds
    ? `it is ${words}; a pattern would pass for any other number`
    : `it should be ${words}, and it is not: see whether the application is wrong`;
  const suggestion = `body ${field} equals ${format(toPath)}`;
  return [{ pointer, field, value: describeValue(value), suggestion, note }];
}

function formatCheckedPaths({ outcome }: JudgedCheck, body: Json): readonly string[] {
  if (outcome?.pointer === undefined) return [];
  return [outcome.pointer, ...(outcome.otherPointers ?? [])].flatMap((pointer) => formatPath(pointer, body) ?? []);
}

function formatPath(pointer: string, body: Json): string | undefined {
  const steps = parsePointer(pointer);
  const path = findValuesAlong(body, steps);
  return (
    path &&
    formatGeneralPath(
      steps,
      steps.map((_step, index) => isList(path[index] ?? null)),
    )
  );
}

/** The same text for every item of a list: a check of the second item represents the first one too. */
function formatGeneralPath(steps: readonly string[], isIndex: readonly boolean[]): string {
  return JSON.stringify(steps.map((step, index) => (isIndex[index] ? 0 : step)));
}

/** Breadth first. */
function* walkLeaves(body: Json, observation: Observation): Generator<Leaf> {
  const nodes: Node[] = [{ steps: [], isIndex: [], path: [body] }];
  let leafCount = 0;
  for (let index = 0; index < nodes.length && leafCount < maxLeaves; index += 1) {
    const node = nodes[index];
    const value = node?.path.at(-1);
    if (!node || value === undefined) return;
    const children = node.steps.length < maxDepth ? getChildren(value, maxVisitedValues - nodes.length) : [];
    if (children.length === 0 && node.steps.length > 0 && isLeaf(value)) {
      leafCount += 1;
      yield { ...node, pointer: node.steps.reduce(appendToPointer, ''), value: concealScalar(value, observation) };
    }
    for (const [step, child] of children) nodes.push(createChild(node, step, child, isList(value)));
  }
}

function isLeaf(value: Json): boolean {
  return isList(value) ? value.length === 0 : !isObjectValue(value) || Object.keys(value).length === 0;
}

function createChild({ steps, isIndex, path }: Node, step: string, value: Json, isInList: boolean): Node {
  return { steps: [...steps, step], isIndex: [...isIndex, isInList], path: [...path, value] };
}

function getChildren(value: Json, maxCount: number): readonly (readonly [string, Json])[] {
  if (isList(value)) return value[0] === undefined || maxCount < 1 ? [] : [['0', value[0]]];
  if (!isObjectValue(value)) return [];
  const children: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    if (children.length >= maxCount) break;
    children.push([key, value[key] ?? null]);
  }
  return children;
}

/** Only checks that read a list or object around a leaf can notice a mutation of it when no check names it. */
function tryReaders(leaf: Leaf, context: UncheckedContext): { readonly isNoticed: boolean; readonly changes: number } {
  const { checks, groups, observation, work } = context;
  const around = leaf.steps.flatMap((_step, depth) => {
    const group = groups.get(getBodySubjectId(leaf.steps.slice(0, depth).reduce(appendToPointer, '')));
    return group ? group.owners.map((index) => ({ entry: checks[index], size: group.size })) : [];
  });
  // A leaf that cannot be tried is not reported.
  if (around.some(({ entry, size }) => classifyReaderCost(entry, size) === 'too_expensive')) {
    return { isNoticed: true, changes: 0 };
  }
  const readers = around.filter(({ entry, size }) => classifyReaderCost(entry, size) === 'affordable');
  if (readers.length === 0) return { isNoticed: false, changes: 0 };
  const judgingCost = readers.reduce((sum, { entry, size }) => sum + (entry ? estimateJudgingCost(entry, size) : 0), 0);
  let changes = 0;
  for (const mutation of mutateBody({ ...leaf, name: '' }, 0, true)) {
    if (!work.spend(mutation.cost + judgingCost)) return { isNoticed: true, changes };
    changes += 1;
    const mutated = mutation.apply(observation);
    if (readers.some(({ entry }) => isFailedBy(entry, mutated))) return { isNoticed: true, changes };
  }
  return { isNoticed: false, changes };
}
