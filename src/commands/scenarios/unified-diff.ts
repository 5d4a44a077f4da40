/** A unified diff of two texts (POSIX diff -u): hunks with three lines of context. */
import { diffLines, diffSigns, findHunks, type LineChange } from '../../diff/line-diff.ts';
import { escapeUnsafe } from '../../report/escape-unsafe.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';

/** `name` is in the header of the diff. */
export type DiffSide = { readonly name: string; readonly text: string };

const contextLines = 3;

/** Ends with a line break; empty for equal texts. */
export function unifiedDiff(before: DiffSide, after: DiffSide, paint: TerminalPaint): string {
  if (before.text === after.text) return '';
  const lines = diffLines(splitLines(before.text), splitLines(after.text));
  const hunks = findHunks(lines, contextLines);
  const head = [paint.strong(`--- ${escapeUnsafe(before.name)}`), paint.strong(`+++ ${escapeUnsafe(after.name)}`)];
  return [...head, ...hunks.flatMap(([start, end]) => formatHunk(lines, start, end, paint))].join('\n').concat('\n');
}

/** Marks a missing line break at the end, as `diff` does. */
function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines[lines.length - 1] += '\n\\ No newline at end of file';
  return lines;
}

function formatHunk(lines: readonly LineChange[], start: number, end: number, paint: TerminalPaint): string[] {
  const before = (part: readonly LineChange[]): number => part.filter(({ kind }) => kind !== 'added').length;
  const after = (part: readonly LineChange[]): number => part.filter(({ kind }) => kind !== 'removed').length;
  const hunk = lines.slice(start, end);
  const preceding = lines.slice(0, start);
  const range = (start: number, count: number): string => (count === 0 ? `${start},0` : `${start + 1},${count}`);
  const head = `@@ -${range(before(preceding), before(hunk))} +${range(after(preceding), after(hunk))} @@`;
  return [paint.accent(head), ...hunk.map((line) => styleLine(line, paint))];
}

function styleLine({ kind, text }: LineChange, paint: TerminalPaint): string {
  const printed = `${diffSigns[kind]}${escapeUnsafe(text)}`;
  if (kind === 'same') return printed;
  return kind === 'removed' ? paint.failed(printed) : paint.passed(printed);
}
