/** A unified diff of two texts (POSIX diff -u): hunks with three lines of context. */
import { diff } from 'node:util';
import { escapeUnsafe } from '../../report/escape-unsafe.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';

/** `name` is in the header of the diff. */
export type DiffSide = { readonly name: string; readonly text: string };

const contextLines = 3;

type DiffLine = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** Ends with a line break; empty for equal texts. */
export function unifiedDiff(before: DiffSide, after: DiffSide, paint: TerminalPaint): string {
  if (before.text === after.text) return '';
  const lines = diffLines(before.text, after.text);
  const hunks = findHunks(lines);
  const head = [paint.strong(`--- ${escapeUnsafe(before.name)}`), paint.strong(`+++ ${escapeUnsafe(after.name)}`)];
  return [...head, ...hunks.flatMap(([start, end]) => formatHunk(lines, start, end, paint))].join('\n').concat('\n');
}

/** `util.diff` marks lines of the first text only with 1, and of the second only with -1. */
function diffLines(before: string, after: string): DiffLine[] {
  return diff(splitLines(before), splitLines(after)).map(([kind, text]) => ({
    sign: kind === 0 ? ' ' : kind === 1 ? '-' : '+',
    text,
  }));
}

/** Marks a missing line break at the end, as `diff` does. */
function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines[lines.length - 1] += '\n\\ No newline at end of file';
  return lines;
}

/** Ranges of changed lines with their context; adjacent ranges are joined. */
function findHunks(lines: readonly DiffLine[]): [from: number, to: number][] {
  const hunks: [number, number][] = [];
  for (const [index, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    const last = hunks.at(-1);
    const start = Math.max(0, index - contextLines);
    const end = Math.min(lines.length, index + contextLines + 1);
    if (last && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return hunks;
}

function formatHunk(lines: readonly DiffLine[], start: number, end: number, paint: TerminalPaint): string[] {
  const before = (part: readonly DiffLine[]): number => part.filter(({ sign }) => sign !== '+').length;
  const after = (part: readonly DiffLine[]): number => part.filter(({ sign }) => sign !== '-').length;
  const hunk = lines.slice(start, end);
  const preceding = lines.slice(0, start);
  const range = (start: number, count: number): string => (count === 0 ? `${start},0` : `${start + 1},${count}`);
  const head = `@@ -${range(before(preceding), before(hunk))} +${range(after(preceding), after(hunk))} @@`;
  return [paint.accent(head), ...hunk.map((line) => styleLine(line, paint))];
}

function styleLine({ sign, text }: DiffLine, paint: TerminalPaint): string {
  const printed = `${sign}${escapeUnsafe(text)}`;
  if (sign === ' ') return printed;
  return sign === '-' ? paint.failed(printed) : paint.passed(printed);
}
