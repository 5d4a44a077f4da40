/** Rows of the audit about approvals. Each is written before what it says has an effect, except that an approval is used up first. */
import type { Clock } from '../../environment/clock.ts';
import type { ApprovalRow } from '../../store/control/hubs/approvals.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { AuditEntry, AuditOutcome } from '../audit/audit-entry.ts';
import { digestOnly, type Redaction } from '../policy/call-policy.ts';
import { parseSubject } from './approval-record.ts';

export type ApprovalEvent = 'requested' | 'approved' | 'denied' | 'used' | 'expired' | 'withdrawn' | 'void';

const outcomes: Readonly<Record<ApprovalEvent, AuditOutcome>> = {
  requested: 'ok',
  approved: 'ok',
  denied: 'denied',
  used: 'ok',
  expired: 'timeout',
  withdrawn: 'cancelled',
  void: 'denied',
};

type EventDetails = {
  readonly principal: HubPrincipal;
  readonly requestId?: string | undefined;
  /** Of the call; only where it is requested. */
  readonly arguments?: unknown;
  readonly redact?: Redaction;
  readonly note?: string | undefined;
};

export function createApprovalEntry(
  clock: Pick<Clock, 'nowMs'>,
  event: ApprovalEvent,
  row: ApprovalRow,
  { principal, requestId, arguments: args, redact = digestOnly, note }: EventDetails,
): AuditEntry {
  const { connection_id: id } = parseSubject(row);
  const digest = `call ${row.call_digest.slice(0, 16)}`;
  return {
    atMs: clock.nowMs(),
    principal,
    method: `approval ${event}`,
    connection: { id, name: row.connection },
    tool: row.tool,
    arguments: args,
    redact,
    outcome: outcomes[event],
    reason: [`approval ${row.id}`, digest, ...(note === undefined || note === '' ? [] : [note])].join(', '),
    durationMs: 0,
    requestBytes: 0,
    responseBytes: 0,
    requestId,
  };
}
