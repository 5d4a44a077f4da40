/** RFC 4180 with a header line; cells that a spreadsheet would evaluate as formulas get a leading apostrophe. */
import { AuditCall } from '../../../contract/hubs/audit-api.ts';
import type { AuditFormatter } from './audit-formatter.ts';

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

export const csvFormat: AuditFormatter = {
  mediaType: 'text/csv; charset=utf-8',
  extension: 'csv',
  header: `${columns.join(',')}\r\n`,
  render: (calls) => calls.map(line).join(''),
};
