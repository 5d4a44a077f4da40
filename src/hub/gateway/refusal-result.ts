/** What a caller gets of a call that the policy refused. It is needed before the MCP SDK is. */
import type { PolicyRefusal } from '../policy/call-policy.ts';
import { denialKey } from '../protocol/hub-meta.ts';
import type { McpResult } from './pending-calls.ts';

/** For the client and its model: the reason and the fix, as two sentences. */
export function formatRefusal({ reason, cure }: Pick<PolicyRefusal, 'reason' | 'cure'>): string {
  return `Not allowed: ${reason}. ${cure.charAt(0).toUpperCase()}${cure.slice(1)}`;
}

/** The result of a call that was not sent. */
export function createRefusalResult({ reason, cure, details }: PolicyRefusal): McpResult {
  const text = formatRefusal({ reason, cure });
  return { content: [{ type: 'text', text }], isError: true, _meta: { [denialKey]: { reason, cure, ...details } } };
}
