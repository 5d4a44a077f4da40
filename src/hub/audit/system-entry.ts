import type { HubName } from '../access/principal.ts';
import { digestOnly } from '../policy/call-policy.ts';
import type { AuditEntry } from './audit-entry.ts';

/** An entry by which vp records an event of the audit itself; no person made a call. */
export function createSystemEntry(
  hub: HubName,
  event: Pick<AuditEntry, 'atMs' | 'method' | 'reason' | 'durationMs'>,
): AuditEntry {
  return {
    ...event,
    principal: {
      hub,
      person: { personId: '', name: 'vp' },
      role: 'owner',
      via: { kind: 'console' },
      client: undefined,
    },
    connection: undefined,
    tool: undefined,
    arguments: undefined,
    redact: digestOnly,
    outcome: 'failed',
    requestBytes: 0,
    responseBytes: 0,
  };
}
