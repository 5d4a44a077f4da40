/** What the generated pages of the reference and the guide share. */

/** Text for a cell of a Markdown table, in one line: a bar would end the cell. */
export function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
