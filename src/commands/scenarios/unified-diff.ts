/** Two texts as a unified difference (POSIX diff -u): hunks with three lines around each change. */
import { diff } from 'node:util';
import { printable } from '../../report/printable.ts';
import type { Paint } from '../../terminal/paint.ts';

/** A text and what it is called in the head of the difference. */
export type Side = { readonly name: string; readonly text: string };

const around = 3;

type Line = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** The difference, ended by a line break; empty where there is none. */
export function unifiedDiff(before: Side, after: Side, paint: Paint): string {
  if (before.text === after.text) return '';
  const lines = linesOf(before.text, after.text);
  const hunks = hunksOf(lines);
  const head = [paint.strong(`--- ${printable(before.name)}`), paint.strong(`+++ ${printable(after.name)}`)];
  return [...head, ...hunks.flatMap(([from, to]) => hunkText(lines, from, to, paint))].join('\n').concat('\n');
}

/** `util.diff` calls what only the first has 1, and what only the second has -1. */
function linesOf(before: string, after: string): Line[] {
  return diff(splitLines(before), splitLines(after)).map(([kind, text]) => ({
    sign: kind === 0 ? ' ' : kind === 1 ? '-' : '+',
    text,
  }));
}

/** A text that does not end with a line break says so, as `diff` does. */
function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines[lines.length - 1] += '\n\\ No newline at end of file';
  return lines;
}

/** Ranges of lines with changes and what is around them, those that touch joined. */
function hunksOf(lines: readonly Line[]): [from: number, to: number][] {
  const hunks: [number, number][] = [];
  for (const [index, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    const last = hunks.at(-1);
    const from = Math.max(0, index - around);
    const to = Math.min(lines.length, index + around + 1);
    if (last && from <= last[1]) last[1] = to;
    else hunks.push([from, to]);
  }
  return hunks;
}

function hunkText(lines: readonly Line[], from: number, to: number, paint: Paint): string[] {
  const before = (part: readonly Line[]): number => part.filter(({ sign }) => sign !== '+').length;
  const after = (part: readonly Line[]): number => part.filter(({ sign }) => sign !== '-').length;
  const hunk = lines.slice(from, to);
  const ahead = lines.slice(0, from);
  const range = (start: number, count: number): string => (count === 0 ? `${start},0` : `${start + 1},${count}`);
  const head = `@@ -${range(before(ahead), before(hunk))} +${range(after(ahead), after(hunk))} @@`;
  return [paint.accent(head), ...hunk.map((line) => styled(line, paint))];
}

function styled({ sign, text }: Line, paint: Paint): string {
  const shown = `${sign}${printable(text)}`;
  if (sign === ' ') return shown;
  return sign === '-' ? paint.failed(shown) : paint.passed(shown);
}
