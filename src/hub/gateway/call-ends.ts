/** How a call ended: with an answer that is one, or with what is told of it instead. */
import { isSpecType, ProtocolError } from '@modelcontextprotocol/server';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { AuditOutcome } from '../words.ts';
import type { Caller } from './caller.ts';
import type { HeldResult } from './held-calls.ts';

/** A server that answers rubbish is told apart before it is told to the caller as an answer. Throws UPSTREAM_ANSWER_INVALID. */
export function demandResult(connection: string, method: string, result: HeldResult): void {
  if (result.resultType === 'input_required' || (method === 'tools/call' && isText(result))) return;
  const fits =
    method === 'tools/call'
      ? isSpecType.CallToolResult(result)
      : method === 'prompts/get'
        ? isSpecType.GetPromptResult(result)
        : method === 'resources/read'
          ? isSpecType.ReadResourceResult(result)
          : isSpecType.CompleteResult(result);
  if (!fits) throw vpError('UPSTREAM_ANSWER_INVALID', { connection, problem: `no result of ${method}` });
}

/** The usual result, told by a glance: blocks of text alone. */
function isText({ content, isError, _meta, resultType, ...rest }: HeldResult): boolean {
  if (!Array.isArray(content) || resultType !== undefined || Object.keys(rest).length > 0) return false;
  if (isError !== undefined && typeof isError !== 'boolean') return false;
  if (_meta !== undefined && (typeof _meta !== 'object' || _meta === null || Array.isArray(_meta))) return false;
  return content.every((block) => {
    const { type, text, ...more } = Object(block);
    return type === 'text' && typeof text === 'string' && Object.keys(more).length === 0;
  });
}

/** Throws UPSTREAM_ANSWER_TOO_LARGE. */
export function demandSize(connection: string, bytes: number, mostBytes = Number.POSITIVE_INFINITY): void {
  if (bytes <= mostBytes) return;
  throw vpError('UPSTREAM_ANSWER_TOO_LARGE', { connection, limit_mb: Math.round(mostBytes / 10_000) / 100 });
}

/** What the audit is told of a failure. */
export function outcomeOf({ signal }: Caller, error: unknown): AuditOutcome {
  if (signal.aborted) return 'cancelled';
  return error instanceof VpError && error.code === 'UPSTREAM_TIMED_OUT' ? 'timeout' : 'failed';
}

/** Why, in a code or one sentence without secrets. */
export function reasonOf(error: unknown): string {
  if (error instanceof VpError) return error.code;
  return error instanceof ProtocolError ? `error ${error.code}` : 'cancelled or broken off';
}
