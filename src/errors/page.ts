/** The page of all errors, made from the table so that it cannot differ from it. */
import type { ErrorRow } from './row.ts';
import { errorTable } from './table.ts';

/** Cells hold no line breaks; a bar would end the cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\{\{(\w+)\}\}/g, '‹$1›');

function line(code: string, row: ErrorRow): string {
  const kind = row.severity === 'warning' ? 'warning' : String(row.exit);
  const words = row.visibility === 'private' ? `${row.sentence} (log only; callers see INTERNAL)` : row.sentence;
  return `| \`${code}\` | ${cell(words)} | ${cell(row.cure)} | ${row.status} | ${kind} |`;
}

/** The page as Markdown, codes in alphabetical order. */
export function errorPage(): string {
  const rows: [string, ErrorRow][] = Object.entries(errorTable);
  const lines = rows.sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, row]) => line(code, row));
  return `<!-- Made by \`npm run build\` from the table beside it. -->
# Errors

What \`vp\` tells when something is wrong: the code never changes, ‹words› are filled in. The exit codes are explained by
\`vp --help\`; a warning changes none.

| Code | Meaning | Cure | HTTP | Exit |
| --- | --- | --- | --- | --- |
${lines.join('\n')}
`;
}
