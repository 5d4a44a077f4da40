import type { AuditForm } from './formats.ts';

/** A call on each line. */
export const jsonLines: AuditForm = {
  mediaType: 'application/x-ndjson',
  extension: 'jsonl',
  head: '',
  text: (calls) => calls.map((call) => `${JSON.stringify(call)}\n`).join(''),
};
