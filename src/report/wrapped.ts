import { widthOf } from './width.ts';

/**
 * `text` in lines of at most `columns`, broken at spaces only, so what is longer than a line stays whole, to be copied.
 * Lines behind the first begin with `indent` spaces; `from` columns are taken in the first one.
 */
export function wrapped(text: string, columns: number, indent: number, from = indent): string {
  if (from + widthOf(text) <= columns) return text;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const start = lines.length === 0 ? from : indent;
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || start + widthOf(longer) <= columns) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}
