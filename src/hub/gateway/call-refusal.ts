import type { UpstreamConnection } from '../connections/connection.ts';
import { type Decision, digestOnly } from '../policy/call-policy.ts';
import type { CallContext } from './call-context.ts';
import type { CallForwarder } from './call-forwarder.ts';
import type { McpResult } from './pending-calls.ts';
import { createRefusalResult } from './refusal-result.ts';

type RefusedToolCall = {
  readonly connection: UpstreamConnection | undefined;
  readonly tool: string;
  readonly arguments: unknown;
};

/** Records the refusal of a tool's call. Returns its result, or that of the task as which the call waits for an approval. */
export async function refuseToolCall(
  forwarder: Pick<CallForwarder, 'recordEnded'>,
  context: CallContext,
  { connection, tool, arguments: args }: RefusedToolCall,
  { reason, cure, redact = digestOnly, details: extra, startedTask }: Extract<Decision, { readonly allowed: false }>,
): Promise<McpResult> {
  const details = { method: 'tools/call', connection, tool, arguments: args, redact };
  // The call of the task has a row of its own.
  const outcome = startedTask
    ? ({ outcome: 'ok', reason: 'waits for an approval as a task', counts: 'nothing' } as const)
    : ({ outcome: 'denied', reason } as const);
  await forwarder.recordEnded(context, { ...details, ...outcome });
  return startedTask ?? createRefusalResult({ reason, cure, ...(extra ? { details: extra } : {}) });
}
