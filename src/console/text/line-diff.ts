/** Line-based difference of two texts. */

/** A line of one text or of both. `before` and `after` are line numbers from 1. */
export type DiffLine = {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
};

/** Above this many pairs of lines, the changed middle is reported as completely removed and added. */
const maxPairs = 4_000_000;

function countCommonStart(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1;
  return count;
}

/** Lengths of the longest common subsequences of all pairs of tails. */
function buildLengthTable(a: readonly string[], b: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const [row, below] = [rows[i], rows[i + 1]];
    if (!row || !below) continue;
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return rows;
}

type LineKind = DiffLine['kind'];

function diffMiddle(a: readonly string[], b: readonly string[]): [LineKind, string][] {
  const fullReplacement: [LineKind, string][] = [
    ...a.map((text): [LineKind, string] => ['removed', text]),
    ...b.map((text): [LineKind, string] => ['added', text]),
  ];
  if (a.length * b.length > maxPairs) return fullReplacement;
  const lengths = buildLengthTable(a, b);
  const steps: [LineKind, string][] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [left = '', right = ''] = [a[i], b[j]];
    if (left === right) {
      steps.push(['same', left]);
      i += 1;
      j += 1;
    } else if ((lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0)) {
      steps.push(['removed', left]);
      i += 1;
    } else {
      steps.push(['added', right]);
      j += 1;
    }
  }
  const tail = (lines: readonly string[], kind: LineKind): [LineKind, string][] => lines.map((text) => [kind, text]);
  return [...steps, ...tail(a.slice(i), 'removed'), ...tail(b.slice(j), 'added')];
}

export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const start = countCommonStart(a, b);
  const end = countCommonStart(a.slice(start).reverse(), b.slice(start).reverse());
  const same = (lines: readonly string[]): [LineKind, string][] => lines.map((text) => ['same', text]);
  const steps = [
    ...same(a.slice(0, start)),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(end === 0 ? [] : a.slice(-end)),
  ];
  let [left, right] = [0, 0];
  return steps.map(([kind, text]) => {
    if (kind !== 'added') left += 1;
    if (kind !== 'removed') right += 1;
    return { kind, text, before: kind === 'added' ? undefined : left, after: kind === 'removed' ? undefined : right };
  });
}

/** Changed lines with `context` lines around them; undefined stands for omitted lines. */
export function excerptDiff(lines: readonly DiffLine[], context = 3): (DiffLine | undefined)[] {
  const isNearChange = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, index) => {
    if (isNearChange[index]) return [line];
    return index === 0 || isNearChange[index - 1] ? [undefined] : [];
  });
}
