/** Lines of the sections that hold one entry on each line. */
import type { Block, LinePiece } from './blocks.ts';
import { parseBullet, stripCodeMarks } from './bullet.ts';
import { formatVerbatim } from './format-trigger.ts';

/** Writes text lines with `write` and comments unchanged; separates rules, because a rule below a line makes it a heading. */
export function writeLines(blocks: readonly Block[], write: (line: LinePiece) => string): string {
  const contentBlocks = blocks.filter(({ kind }) => kind !== 'blank');
  return contentBlocks
    .map((block, index) => {
      const [line] = block.lines;
      if (block.kind === 'text') return write({ text: line.text, start: line.start });
      const [before, behind] = [index > 0 ? '\n' : '', index < contentBlocks.length - 1 ? '\n' : ''];
      return block.kind === 'rule' ? before + formatVerbatim(block) + behind : formatVerbatim(block);
    })
    .join('\n');
}

export function writeBullets(blocks: readonly Block[]): string {
  return writeLines(blocks, (line) => `- ${stripCodeMarks(parseBullet(line) ?? line).text}`);
}
