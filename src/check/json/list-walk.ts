/**
 * Values of a path through lists: where a step names no element, it is followed in every element, and a list at the end of the
 * path gives its elements. `data.price` is the price of every item of `data`.
 */
import { describeValue } from './describe-value.ts';
import { type FieldMatch, type FieldPath, type PathStep, readKeyCandidate } from './field-path.ts';
import { isList, isObjectValue, type Json } from './json.ts';
import { parsePointer } from './json-pointer.ts';

export type ListWalk = {
  /** In the order of the body. */
  readonly values: readonly FieldMatch[];
  /** Pointers of the lists on the way, in the order in which they were met. */
  readonly lists: readonly string[];
  /** Where the path ends before its last step: the value that lacks the step. */
  readonly gaps: readonly (FieldMatch & { readonly missing: string })[];
};

/** Lists within lists beyond this depth are not opened: the walk is recursive. */
const maxNesting = 64;

type OpenWalk = { readonly values: FieldMatch[]; readonly lists: string[]; readonly gaps: ListWalk['gaps'][number][] };

/** `opensLast`: whether a list at the end of the path gives its elements, or itself. */
export function walkLists(body: Json, path: FieldPath, opensLast = true): ListWalk {
  const walk: OpenWalk = { values: [], lists: [], gaps: [] };
  follow({ value: body, pointer: '' }, path, 0, opensLast, walk);
  return walk;
}

function follow(
  { value, pointer }: FieldMatch,
  path: FieldPath,
  index: number,
  opensLast: boolean,
  walk: OpenWalk,
  nesting = 0,
): void {
  const step = path.steps[index];
  if (step === undefined) {
    if (opensLast && isList(value)) eachElement(value, pointer, walk, (element) => walk.values.push(element));
    else walk.values.push({ value, pointer });
    return;
  }
  const next = readStep(value, step);
  if (next) {
    follow({ value: next.value, pointer: pointer + next.pointer }, path, index + next.steps, opensLast, walk, nesting);
  } else if (isList(value) && step.kind !== 'index' && nesting < maxNesting) {
    eachElement(value, pointer, walk, (element) => follow(element, path, index, opensLast, walk, nesting + 1));
  } else walk.gaps.push({ value, pointer, missing: formatStep(step) });
}

function eachElement(
  list: readonly Json[],
  pointer: string,
  walk: OpenWalk,
  visit: (element: FieldMatch) => void,
): void {
  walk.lists.push(pointer);
  for (const [index, value] of list.entries()) visit({ value, pointer: `${pointer}/${index}` });
}

function readStep(value: Json, step: PathStep): (FieldMatch & { readonly steps: number }) | undefined {
  if (step.kind === 'name') {
    for (const candidate of step.candidates) {
      const next = readKeyCandidate(value, candidate);
      if (next !== undefined) return { value: next, pointer: candidate.pointer, steps: candidate.steps };
    }
    return undefined;
  }
  const next = step.kind === 'key' ? getKey(value, step.key) : isList(value) ? value[step.index] : undefined;
  return next === undefined ? undefined : { value: next, pointer: step.pointer, steps: 1 };
}

function getKey(value: Json, key: string): Json | undefined {
  return isObjectValue(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function formatStep(step: PathStep): string {
  if (step.kind === 'name') return step.candidates.at(-1)?.key ?? '';
  return step.kind === 'key' ? `["${step.key}"]` : `[${step.index}]`;
}

/** A pointer as people write it: `data[0].id`, `the body` for the whole of it. */
export function formatPointer(pointer: string): string {
  if (pointer === '') return 'the body';
  const text = parsePointer(pointer)
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('');
  return `\`${text.replace(/^\./, '')}\``;
}

/** Why a path gives nothing to judge; undefined where it gives something, and every element has it. */
export function explainWalk({ values, lists, gaps }: ListWalk, conceal?: (text: string) => string): string | undefined {
  const [gap] = gaps;
  if (gap) {
    const names = isObjectValue(gap.value) ? Object.keys(gap.value) : undefined;
    const instead = names ? `there are: ${names.slice(0, 8).join(', ')}` : `it is ${describeValue(gap.value, conceal)}`;
    const more = gaps.length > 1 ? `, and ${gaps.length - 1} more without it` : '';
    return `no field \`${gap.missing}\` in ${formatPointer(gap.pointer)}; ${conceal?.(instead) ?? instead}${more}`;
  }
  const [value] = values;
  if (lists.length === 0) {
    return value ? `no list: ${formatPointer(value.pointer)} is ${describeValue(value.value, conceal)}` : 'no list';
  }
  return value ? undefined : `${formatPointer(lists[0] ?? '')} is an empty list, so nothing shows that it holds`;
}
