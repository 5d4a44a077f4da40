/** Checks results and translates outcomes for the audit. */
import { isSpecType } from '@modelcontextprotocol/server';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import { isTextMember } from '../../json/late-text.ts';
import type { AuditOutcome } from '../audit/audit-entry.ts';
import { isProtocolError } from '../protocol/protocol-errors.ts';
import type { CallContext } from './call-context.ts';
import type { McpResult } from './pending-calls.ts';

/** Throws UPSTREAM_ANSWER_INVALID if the result does not match its method. */
export function assertValidResult(connection: string, method: string, result: McpResult): void {
  // Results about tasks were checked when their ids were replaced.
  if (method.startsWith('tasks/') || result.resultType === 'task') return;
  if (result.resultType === 'input_required' || (method === 'tools/call' && isTextResult(result))) return;
  const isValid =
    method === 'tools/call'
      ? isSpecType.CallToolResult(result)
      : method === 'prompts/get'
        ? isSpecType.GetPromptResult(result)
        : method === 'resources/read'
          ? isSpecType.ReadResourceResult(result)
          : isSpecType.CompleteResult(result);
  if (!isValid) throw vpError('UPSTREAM_ANSWER_INVALID', { connection, problem: `not a result of ${method}` });
}

/** A quick check for the usual result: only blocks of text. */
function isTextResult({ content, isError, _meta, resultType, ...rest }: McpResult): boolean {
  if (!Array.isArray(content) || resultType !== undefined || Object.keys(rest).length > 0) return false;
  if (isError !== undefined && typeof isError !== 'boolean') return false;
  if (_meta !== undefined && !isObject(_meta)) return false;
  return content.every(isTextBlock);
}

/** A long text is not read. */
function isTextBlock(block: unknown): boolean {
  return isObject(block) && block.type === 'text' && isTextMember(block, 'text') && Object.keys(block).length === 2;
}

/** Throws UPSTREAM_ANSWER_TOO_LARGE. */
export function assertResultSize(connection: string, bytes: number, maxBytes = Number.POSITIVE_INFINITY): void {
  if (bytes <= maxBytes) return;
  throw vpError('UPSTREAM_ANSWER_TOO_LARGE', { connection, limit_mb: Math.round(maxBytes / 10_000) / 100 });
}

/** What an audit says about a result that is not the end of the call; undefined for others. */
export function toResultReason({ resultType, task }: McpResult): string | undefined {
  if (resultType === 'input_required') return resultType;
  return resultType === 'task' || task !== undefined ? 'task' : undefined;
}

export function toAuditOutcome({ signal }: CallContext, error: unknown): AuditOutcome {
  if (signal.aborted) return 'cancelled';
  return error instanceof VpError && error.code === 'UPSTREAM_TIMED_OUT' ? 'timeout' : 'failed';
}

/** A code or one sentence without secrets. */
export function toAuditReason(error: unknown): string {
  if (error instanceof VpError) return error.code;
  return isProtocolError(error) ? `error ${error.code}` : 'cancelled or interrupted';
}
