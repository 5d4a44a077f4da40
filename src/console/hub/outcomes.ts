import type { AuditCall } from '../../contract/hub-audit-api.ts';
import type { Look } from '../words/look.ts';

/** How the outcome of a call looks, and what people read. */
export const outcomes: Readonly<Record<AuditCall['outcome'], readonly [look: Look, words: string]>> = {
  ok: ['passed', 'ok'],
  tool_error: ['failed', 'tool error'],
  failed: ['broken', 'server failed'],
  timeout: ['broken', 'took too long'],
  denied: ['cancelled', 'denied'],
  cancelled: ['queued', 'cancelled'],
};

/** True for one of them. */
export function isOutcome(text: string): text is AuditCall['outcome'] {
  return Object.hasOwn(outcomes, text);
}
