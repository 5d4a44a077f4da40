/**
 * Values of a path through lists: where a step names no element, it is followed in every element, and a list at the end of the
 * path gives its elements. `data.price` is the price of every item of `data`.
 */
import { describeValue } from './describe-value.ts';
import { type FieldMatch, type FieldPath, getOwnMember, type PathStep, readKeyCandidate } from './field-path.ts';
import { isList, isObjectValue, type Json } from './json.ts';
import { parsePointer } from './json-pointer.ts';

export type ListWalk = {
  /** In the order of the body. Their pointers are not stored: 1 MB of text may be 350,000 values. */
  readonly values: readonly Json[];
  /** The pointer of the value with this index, found by walking again; `-1` is the last one. */
  locate(index: number): string;
  /** Pointer of the first list on the way; undefined where there is none. */
  readonly firstList: string | undefined;
  /** How often the path ends before its last step. */
  readonly gapCount: number;
  /** The first value that lacks a step. */
  readonly firstGap: (FieldMatch & { readonly missing: string }) | undefined;
};

/** Lists within lists beyond this depth are not opened: the walk is recursive. */
const maxNesting = 64;

/** `opensLast`: whether a list at the end of the path gives its elements, or itself. */
export function walkLists(body: Json, path: FieldPath, opensLast = true): ListWalk {
  const values: Json[] = [];
  let firstList: string | undefined;
  let firstGap: ListWalk['firstGap'];
  let gapCount = 0;
  new PathWalker(path, opensLast, {
    onValue: (value) => values.push(value),
    onList: (getPointer) => {
      firstList ??= getPointer();
    },
    onGap: (value, step, getPointer) => {
      gapCount += 1;
      firstGap ??= { value, pointer: getPointer(), missing: formatStep(step) };
    },
  }).follow(body);
  const locate = (index: number): string =>
    findPointer(body, path, opensLast, index < 0 ? values.length + index : index);
  return { values, locate, firstList, gapCount, firstGap };
}

function findPointer(body: Json, path: FieldPath, opensLast: boolean, targetIndex: number): string {
  let index = 0;
  let pointer = '';
  const onValue = (_value: Json, getPointer: () => string): void => {
    if (index === targetIndex) pointer = getPointer();
    index += 1;
  };
  new PathWalker(path, opensLast, { onValue, onList: () => {}, onGap: () => {} }).follow(body);
  return pointer;
}

type WalkListener = {
  onValue(value: Json, getPointer: () => string): void;
  onList(getPointer: () => string): void;
  onGap(value: Json, step: PathStep, getPointer: () => string): void;
};

class PathWalker {
  readonly #path: FieldPath;
  readonly #opensLast: boolean;
  readonly #listener: WalkListener;
  /** The pointer of the current value: parts of pointers, and indices of elements. */
  readonly #trail: (string | number)[] = [];
  readonly #getPointer = (): string =>
    this.#trail.map((part) => (typeof part === 'number' ? `/${part}` : part)).join('');

  constructor(path: FieldPath, opensLast: boolean, listener: WalkListener) {
    this.#path = path;
    this.#opensLast = opensLast;
    this.#listener = listener;
  }

  follow(value: Json, index = 0, nesting = 0): void {
    const step = this.#path.steps[index];
    if (step === undefined) {
      if (this.#opensLast && isList(value)) this.#eachElement(value, (element) => this.#emit(element));
      else this.#emit(value);
      return;
    }
    if (this.#takeStep(value, step, index, nesting)) return;
    if (isList(value) && step.kind !== 'index' && nesting < maxNesting)
      this.#eachElement(value, (element) => this.follow(element, index, nesting + 1));
    else this.#listener.onGap(value, step, this.#getPointer);
  }

  /** False where the value lacks it. Makes nothing for a value: there may be millions. */
  #takeStep(value: Json, step: PathStep, index: number, nesting: number): boolean {
    if (step.kind === 'name') {
      for (let each = 0; each < step.candidates.length; each += 1) {
        const candidate = step.candidates[each];
        const next = candidate && readKeyCandidate(value, candidate);
        if (candidate === undefined || next === undefined) continue;
        this.#enter(next, candidate.pointer, index + candidate.steps, nesting);
        return true;
      }
      return false;
    }
    const next = step.kind === 'key' ? getOwnMember(value, step.key) : isList(value) ? value[step.index] : undefined;
    if (next !== undefined) this.#enter(next, step.pointer, index + 1, nesting);
    return next !== undefined;
  }

  #enter(value: Json, pointer: string, index: number, nesting: number): void {
    this.#trail.push(pointer);
    this.follow(value, index, nesting);
    this.#trail.pop();
  }

  #emit(value: Json): void {
    this.#listener.onValue(value, this.#getPointer);
  }

  #eachElement(list: readonly Json[], visit: (element: Json) => void): void {
    this.#listener.onList(this.#getPointer);
    const last = this.#trail.push(0) - 1;
    for (let index = 0; index < list.length; index += 1) {
      this.#trail[last] = index;
      visit(list[index] ?? null);
    }
    this.#trail.pop();
  }
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
export function explainWalk(walk: ListWalk, conceal?: (text: string) => string): string | undefined {
  const { values, firstList, firstGap, gapCount } = walk;
  if (firstGap) {
    const names = isObjectValue(firstGap.value) ? Object.keys(firstGap.value) : undefined;
    const instead = names
      ? `there are: ${names.slice(0, 8).join(', ')}`
      : `it is ${describeValue(firstGap.value, conceal)}`;
    const more = gapCount > 1 ? `, and ${gapCount - 1} more without it` : '';
    return `no field \`${firstGap.missing}\` in ${formatPointer(firstGap.pointer)}; ${conceal?.(instead) ?? instead}${more}`;
  }
  const [value] = values;
  if (firstList === undefined) {
    return value === undefined
      ? 'no list'
      : `no list: ${formatPointer(walk.locate(0))} is ${describeValue(value, conceal)}`;
  }
  return value === undefined
    ? `${formatPointer(firstList)} is an empty list, so nothing shows that it holds`
    : undefined;
}
