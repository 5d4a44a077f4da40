import type { Block } from './blocks.ts';

/** Unchanged lines, joined with LF, without blank lines at both ends. */
export function collectProse(blocks: readonly Block[]): string {
  const lines = blocks.flatMap((block) => block.lines.map((line) => line.text));
  const text = lines.join('\n').replace(/^(?:[ \t]*\n)+/, '');
  let end = text.length;
  while (end > 0 && ' \t\n'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
