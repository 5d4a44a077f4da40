import type { AuditCall } from '../../../contract/hubs/audit-api.ts';
import type { RunStatus } from '../../text/run-status.ts';

export const callOutcomes: Readonly<Record<AuditCall['outcome'], readonly [status: RunStatus, label: string]>> = {
  ok: ['passed', 'ok'],
  tool_error: ['failed', 'tool error'],
  failed: ['broken', 'server failed'],
  timeout: ['broken', 'timed out'],
  denied: ['cancelled', 'denied'],
  cancelled: ['queued', 'cancelled'],
  started: ['running', 'no outcome yet'],
  unknown: ['broken', 'unknown: the control plane ended'],
};

export function isOutcome(text: string): text is AuditCall['outcome'] {
  return Object.hasOwn(callOutcomes, text);
}
