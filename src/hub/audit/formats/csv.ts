/** RFC 4180, with a head line; cells that a spreadsheet would take for formulas get an apostrophe before them. */
import { AuditCall } from '../../../contract/hub-audit-api.ts';
import type { AuditForm } from './formats.ts';

const columns = Object.keys(AuditCall.properties);

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function line(call: Readonly<Record<string, unknown>>): string {
  return `${columns.map((column) => cell(call[column])).join(',')}\r\n`;
}

/** See the file's header. */
export const csv: AuditForm = {
  mediaType: 'text/csv; charset=utf-8',
  extension: 'csv',
  head: `${columns.join(',')}\r\n`,
  text: (calls) => calls.map(line).join(''),
};
