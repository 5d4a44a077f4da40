/** What no check of the response looks at. */
import { described, isList, isObject } from '../../check/bounded.ts';
import type { Json, Observed } from '../../check/observed.ts';
import type { JudgedCheck } from '../verdict.ts';
import { type BodyPlace, changesOf, readsAround } from './body-changes.ts';
import { pointerTo } from './body-path.ts';
import type { UncheckedPart } from './proof.ts';
import { seenAs } from './seen.ts';
import { fieldText, suggestedCheck } from './suggest.ts';
import { failsOn } from './try-changes.ts';
import { costOf, type Work } from './work.ts';

/** Parts told at most, shallow ones first. */
export const mostUnchecked = 30;
/** Leaves that are held against the checks around them at most, and values looked at on the way to them. */
const mostLeaves = 300;
const mostValues = 5000;
/** Steps of a path that the parser takes. */
const deepest = 64;

type Node = { readonly steps: readonly string[]; readonly isIndex: readonly boolean[]; readonly way: readonly Json[] };

/** A value without others in it, or an empty list or object. */
type Leaf = Node & { readonly pointer: string; readonly value: Json };

/** What was found, and how many changes it took. */
export type Unchecked = { readonly parts: readonly UncheckedPart[]; readonly changes: number };

/** Status and leaves of the body. Of a list the first item stands for all. */
export function uncheckedParts(
  checks: readonly JudgedCheck[],
  places: ReadonlyMap<string, BodyPlace>,
  observed: Observed,
  work: Work,
): Unchecked {
  const parts: UncheckedPart[] = checks.some(({ check }) => check.kind === 'status') ? [] : [statusPart(observed)];
  if (observed.body.kind !== 'json') return { parts, changes: 0 };
  const body = observed.body.value;
  const alike = new Set([...places.values()].map(({ steps, way }) => likeness(steps, indicesIn(steps, way))));
  let changes = 0;
  for (const leaf of leavesOf(body, observed)) {
    if (parts.length >= mostUnchecked) break;
    if (alike.has(likeness(leaf.steps, leaf.isIndex))) continue;
    const found = noticedAround(leaf, checks, places, observed, work);
    changes += found.changes;
    if (!found.isNoticed) parts.push(...partOf(leaf, body, observed));
  }
  return { parts, changes };
}

function statusPart({ status }: Observed): UncheckedPart {
  return { pointer: 'status', field: undefined, value: String(status), suggestion: `status=${status}` };
}

function partOf({ pointer, steps, isIndex, value }: Leaf, body: Json, observed: Observed): UncheckedPart[] {
  const field = fieldText(body, steps, isIndex);
  const suggestion = field === undefined ? undefined : suggestedCheck(field, value, observed);
  return suggestion === undefined ? [] : [{ pointer, field, value: described(value), suggestion }];
}

/** The way to a value with every index alike: a check of the second item stands for the first one too. */
function likeness(steps: readonly string[], isIndex: readonly boolean[]): string {
  return JSON.stringify(steps.map((step, at) => (isIndex[at] ? 0 : step)));
}

function indicesIn(steps: readonly string[], way: readonly Json[]): boolean[] {
  return steps.map((_step, at) => isList(way[at] ?? null));
}

/** Leaves, shallow ones first. */
function* leavesOf(body: Json, observed: Observed): Generator<Leaf> {
  const nodes: Node[] = [{ steps: [], isIndex: [], way: [body] }];
  let leaves = 0;
  for (let at = 0; at < nodes.length && leaves < mostLeaves; at += 1) {
    const node = nodes[at];
    const value = node?.way.at(-1);
    if (!node || value === undefined) return;
    const children = node.steps.length < deepest ? childrenOf(value, mostValues - nodes.length) : [];
    if (children.length === 0 && node.steps.length > 0 && isLeaf(value)) {
      leaves += 1;
      yield { ...node, pointer: node.steps.reduce(pointerTo, ''), value: seenAs(value, observed) };
    }
    for (const [step, child] of children) nodes.push(childNode(node, step, child, isList(value)));
  }
}

function isLeaf(value: Json): boolean {
  return isList(value) ? value.length === 0 : !isObject(value) || Object.keys(value).length === 0;
}

function childNode({ steps, isIndex, way }: Node, step: string, value: Json, inList: boolean): Node {
  return { steps: [...steps, step], isIndex: [...isIndex, inList], way: [...way, value] };
}

function childrenOf(value: Json, most: number): readonly (readonly [string, Json])[] {
  if (isList(value)) return value[0] === undefined || most < 1 ? [] : [['0', value[0]]];
  if (!isObject(value)) return [];
  const children: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    if (children.length >= most) break;
    children.push([key, value[key] ?? null]);
  }
  return children;
}

/** Only checks that read a whole list or object around it can notice a leaf that no check names. */
function noticedAround(
  leaf: Leaf,
  checks: readonly JudgedCheck[],
  places: ReadonlyMap<string, BodyPlace>,
  observed: Observed,
  work: Work,
): { isNoticed: boolean; changes: number } {
  const around = leaf.steps.flatMap((_step, at) => {
    const place = places.get(leaf.steps.slice(0, at).reduce(pointerTo, ''));
    return place ? place.owners.map((index) => ({ entry: checks[index], size: place.size })) : [];
  });
  const told = { isNoticed: true, changes: 0 }; // Nothing is said of what is not tried.
  if (around.some(({ entry, size }) => readsAround(entry, size) === 'too_costly')) return told;
  const readers = around.filter(({ entry, size }) => readsAround(entry, size) === 'asked');
  if (readers.length === 0) return { isNoticed: false, changes: 0 };
  let changes = 0;
  for (const change of changesOf({ ...leaf, name: '', size: 0 }, true)) {
    const cost = readers.reduce((sum, { entry, size }) => sum + (entry ? costOf(entry.check, size) : 0), change.cost);
    if (!work.spend(cost)) return { ...told, changes };
    changes += 1;
    const changed = change.apply(observed);
    if (readers.some(({ entry }) => failsOn(entry, changed))) return { isNoticed: true, changes };
  }
  return { isNoticed: false, changes };
}
