/**
 * How the audit records the parts of a call. The row of a call has its arguments; what the client sent in `_meta`, and what it answered to
 * questions of the server, have rows of their own with the same request id.
 */
import type { CallPart } from './compiled-policy.ts';

const callMethods: readonly string[] = ['tools/call', 'prompts/get', 'resources/read', 'completion/complete'];
const suffixes = { meta: '_meta', answers: 'answers' } as const;

/** The method of the row for a part of a call, such as `tools/call answers`. */
export function toPartMethod(method: string, part: keyof typeof suffixes): string {
  return `${method} ${suffixes[part]}`;
}

export type RecordedPart = { readonly method: string; readonly part: CallPart };

/** Undefined for a row that is not of a call. */
export function parseRecordedMethod(recorded: string): RecordedPart | undefined {
  const [method = '', suffix, ...rest] = recorded.split(' ');
  if (!callMethods.includes(method) || rest.length > 0) return undefined;
  if (suffix === undefined) return { method, part: 'arguments' };
  if (suffix === suffixes.meta) return { method, part: 'meta' };
  return suffix === suffixes.answers ? { method, part: 'answers' } : undefined;
}
