import type { AuditFormatter } from './audit-formatter.ts';

/** One call per line. */
export const jsonLinesFormat: AuditFormatter = {
  mediaType: 'application/x-ndjson',
  extension: 'jsonl',
  header: '',
  render: (calls) => calls.map((call) => `${JSON.stringify(call)}\n`).join(''),
};
