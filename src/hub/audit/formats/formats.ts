/** The export formats of the audit. */
import { AuditCall, type AuditExportFormat } from '../../../contract/hubs/audit-api.ts';
import type { AuditFormatter } from './audit-formatter.ts';
import { openTelemetryFormat } from './open-telemetry.ts';

const columns = Object.keys(AuditCall.properties);

function formatCsvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function formatCsvLine(call: Readonly<Record<string, unknown>>): string {
  return `${columns.map((column) => formatCsvCell(call[column])).join(',')}\r\n`;
}

/** RFC 4180 with a header line; cells that a spreadsheet would evaluate as formulas get a leading apostrophe. */
const csvFormat: AuditFormatter = {
  mediaType: 'text/csv; charset=utf-8',
  extension: 'csv',
  header: `${columns.join(',')}\r\n`,
  render: (calls) => calls.map(formatCsvLine).join(''),
};

/** One call per line. */
const jsonLinesFormat: AuditFormatter = {
  mediaType: 'application/x-ndjson',
  extension: 'jsonl',
  header: '',
  render: (calls) => calls.map((call) => `${JSON.stringify(call)}\n`).join(''),
};

export const auditFormatters: Readonly<Record<AuditExportFormat, AuditFormatter>> = {
  jsonl: jsonLinesFormat,
  csv: csvFormat,
  otel: openTelemetryFormat,
};
