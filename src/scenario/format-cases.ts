/** Writes the table of CASES. */
import { splitRow } from './case-rows.ts';
import { writeLines } from './format-lines.ts';
import type { Section } from './outline.ts';
import { collectProse } from './prose.ts';

/** Wider cells are not aligned: one of them would make every row of the file long. */
const maxAlignedWidth = 40;

/** The table of a section that was read without errors, with aligned columns. */
export function writeTable({ blocks }: Section): string {
  const rows = blocks.flatMap(({ kind, lines: [line] }) => (kind === 'text' ? [splitRow(line) ?? []] : []));
  // The file of a line `from: orders.csv` has the table.
  if (rows.some(({ length }) => length === 0)) return collectProse(blocks);
  const texts = rows.map((cells) => cells.map(({ text }) => text.replaceAll('|', '\\|')));
  const [head = []] = texts;
  const contents = texts.filter((_, index) => index !== 1);
  const widths = head.map((_, column) =>
    Math.max(3, ...contents.map((row) => row[column]?.length ?? 0).filter((width) => width <= maxAlignedWidth)),
  );
  let index = -1;
  return writeLines(blocks, () => {
    index += 1;
    const row = texts[index] ?? [];
    const cells = widths.map((width, column) => {
      const text = row[column] ?? '';
      return index === 1
        ? text.replaceAll(/-+/g, '-'.repeat(Math.max(1, width - countColons(text))))
        : text.padEnd(width);
    });
    return `| ${cells.join(' | ')} |`;
  });
}

function countColons(text: string): number {
  return text.length - text.replaceAll(':', '').length;
}
