import type { AuditCall } from './audit-api.ts';

/** The token or client of a call. What a person does without one comes from the console, the command line or the API. */
export function formatCallOrigin({ via, via_name: name }: Pick<AuditCall, 'via' | 'via_name'>): string {
  return name ?? (via === 'console' ? 'control plane' : via);
}
