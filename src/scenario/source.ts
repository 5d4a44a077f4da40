/** The text of a scenario as lines with offsets; only this module counts lines and columns. */
import type { Position, Range } from './position.ts';

/** A line without its ending; `start` and `end` are offsets in the whole text. */
export type SourceLine = {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
};

/** The whole text (a byte order mark included, in no line) and its lines, at least one. */
export type SourceText = { readonly text: string; readonly lines: readonly SourceLine[] };

/** Splits at LF; a CR before it belongs to the ending. */
export function readSource(text: string): SourceText {
  const lines: SourceLine[] = [];
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let number = 1; ; number += 1) {
    const feed = text.indexOf('\n', start);
    const stop = feed === -1 ? text.length : feed;
    const end = feed > start && text.charCodeAt(stop - 1) === 13 ? stop - 1 : stop;
    lines.push({ number, start, end, text: text.slice(start, end) });
    if (feed === -1) return { text, lines };
    start = feed + 1;
  }
}

function positionIn(source: SourceText, offset: number): Position {
  let low = 0;
  let high = source.lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((source.lines[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const line = source.lines[low];
  return { line: line?.number ?? 1, column: Math.max(1, offset - (line?.start ?? 0) + 1), offset };
}

/** The range between two offsets. */
export function toRange(source: SourceText, start: number, end: number): Range {
  return { start: positionIn(source, start), end: positionIn(source, end) };
}
