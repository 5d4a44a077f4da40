/** Differences of two texts, line by line: the same in the console, on a terminal and in the review of definitions. */
import { diffArrays } from 'diff';

export type LineChange = { readonly kind: 'same' | 'added' | 'removed'; readonly text: string };

/** What stands before a line of each kind in a diff that is text. */
export const diffSigns = { same: ' ', removed: '-', added: '+' } as const;

/**
 * The time grows with the square of this number, whoever wrote the texts: a tenth of a second here. Where more lines were added and
 * removed, all from the first difference to the last counts as removed and added.
 */
const maxChangedLines = 500;

/** Every line of both texts, in order; removed lines stand before those added in their place. */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  const start = countCommonStart(before, after);
  const end = countCommonStart(before.slice(start).reverse(), after.slice(start).reverse());
  const oldMiddle = before.slice(start, before.length - end);
  const newMiddle = after.slice(start, after.length - end);
  return [
    ...toChanges('same', before.slice(0, start)),
    ...(diffMiddle(oldMiddle, newMiddle) ?? [...toChanges('removed', oldMiddle), ...toChanges('added', newMiddle)]),
    ...toChanges('same', before.slice(before.length - end)),
  ];
}

/** Undefined where too many lines differ. */
function diffMiddle(before: readonly string[], after: readonly string[]): LineChange[] | undefined {
  const parts = diffArrays([...before], [...after], { maxEditLength: maxChangedLines });
  return parts?.flatMap(({ added, removed, value }) =>
    toChanges(added ? 'added' : removed ? 'removed' : 'same', value),
  );
}

function toChanges(kind: LineChange['kind'], lines: readonly string[]): LineChange[] {
  return lines.map((text) => ({ kind, text }));
}

function countCommonStart(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1;
  return count;
}

/** Ranges of changed lines with `context` lines around them; ranges that touch are one. */
export function findHunks(
  lines: readonly Pick<LineChange, 'kind'>[],
  context: number,
): readonly (readonly [from: number, to: number])[] {
  const hunks: [number, number][] = [];
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    const last = hunks.at(-1);
    const start = Math.max(0, index - context);
    const end = Math.min(lines.length, index + context + 1);
    if (last && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return hunks;
}

/** A line of one text or of both. `before` and `after` are line numbers from 1. */
export type NumberedLine = LineChange & { readonly before: number | undefined; readonly after: number | undefined };

export function diffTexts(before: string, after: string): NumberedLine[] {
  let [left, right] = [0, 0];
  return diffLines(before.split('\n'), after.split('\n')).map(({ kind, text }) => {
    if (kind !== 'added') left += 1;
    if (kind !== 'removed') right += 1;
    return { kind, text, before: kind === 'added' ? undefined : left, after: kind === 'removed' ? undefined : right };
  });
}

/** Changed lines with `context` lines around them; undefined stands for omitted lines. */
export function excerptDiff(lines: readonly NumberedLine[], context = 3): (NumberedLine | undefined)[] {
  const hunks = findHunks(lines, context);
  const isCutAtStart = (hunks[0]?.[0] ?? lines.length) > 0;
  const isCutAtEnd = hunks.length > 0 && (hunks.at(-1)?.[1] ?? 0) < lines.length;
  const excerpt = hunks.flatMap(([from, to], index) => [...(index > 0 ? [undefined] : []), ...lines.slice(from, to)]);
  return [...(isCutAtStart ? [undefined] : []), ...excerpt, ...(isCutAtEnd ? [undefined] : [])];
}
