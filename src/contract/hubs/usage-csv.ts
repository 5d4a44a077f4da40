/** Usage as CSV (RFC 4180), for a spreadsheet. */
import type { HubUsage } from './usage-api.ts';

const columns = [
  'id',
  'name',
  'calls',
  'errors',
  'denied',
  'cancelled',
  'p50_ms',
  'p95_ms',
  'request_bytes',
  'answer_bytes',
  'estimated_tokens',
] as const;

/** Texts that a spreadsheet would evaluate get a leading apostrophe. */
function formatCell(value: string | number | null): string {
  if (value === null) return '';
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function formatUsageCsv({ items }: Pick<HubUsage, 'items'>): string {
  const lines = items.map((item) => columns.map((column) => formatCell(item[column])).join(','));
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}
