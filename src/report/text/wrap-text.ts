import { measureWidth } from './text-width.ts';

/**
 * Breaks `text` into lines of at most `columns`, at spaces only: a longer word stays in one piece, so that it can be copied.
 * All lines but the first begin with `indent` spaces; the first starts at column `firstColumn`.
 */
export function wrapText(text: string, columns: number, indent: number, firstColumn = indent): string {
  if (firstColumn + measureWidth(text) <= columns) return text;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const start = lines.length === 0 ? firstColumn : indent;
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || start + measureWidth(longer) <= columns) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

const noBreak = '\u00a0';

/** Joins `parts` with `separator` and a space, and breaks lines behind a separator only. */
export function wrapParts(
  parts: readonly string[],
  separator: string,
  columns: number,
  indent: number,
  firstColumn = indent,
): string {
  const keep = (text: string): string => text.replaceAll(' ', noBreak);
  const joined = parts.map(keep).join(`${keep(separator)} `);
  return wrapText(joined, columns, indent, firstColumn).replaceAll(noBreak, ' ');
}
