/** Tables of the guide, in Markdown. */
import { escapeCell } from '../errors/markdown.ts';

function row(cells: readonly string[]): string {
  return `| ${cells.map(escapeCell).join(' | ')} |`;
}

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

/** `text` in code marks. */
export function formatCode(text: string): string {
  return `\`${text}\``;
}
