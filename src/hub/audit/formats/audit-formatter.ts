import type { AuditCall } from '../../../contract/hubs/audit-api.ts';

/** `header` comes before the rendered calls. */
export type AuditFormatter = {
  readonly mediaType: string;
  readonly extension: string;
  readonly header: string;
  render(calls: readonly AuditCall[]): string;
};
