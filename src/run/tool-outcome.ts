/**
 * What checks see of a tool call: `status` is the outcome, and `body` the structured content or the text of the result.
 */
import { readJson } from '../check/json/read-json.ts';
import type { ReceivedResponse } from './evidence.ts';

/** `result`; `tool_error`: the tool says that it failed; `denied`: by the hub's policy; `protocol_error`: an error of JSON-RPC. */
export const toolOutcomeStatuses = { result: 200, tool_error: 500, denied: 403, protocol_error: 400 } as const;

export type ToolOutcome = { readonly status: number; readonly body: unknown };

/** The member of a result's `_meta` in which a hub gives the reason of a denial. */
const denialKey = 'vp/denied';

/** The outcome of a result of `tools/call`. */
export function toToolOutcome(result: object): ToolOutcome {
  const { isError, _meta: meta, structuredContent } = members(result);
  const isDenied = members(meta)[denialKey] !== undefined;
  const failed = isDenied ? 'denied' : 'tool_error';
  const status = toolOutcomeStatuses[isError === true ? failed : 'result'];
  if (typeof structuredContent === 'object' && structuredContent !== null) return { status, body: structuredContent };
  return { status, body: readContent(members(result).content) };
}

/** The outcome as the response that is judged. */
export function toReceivedResponse({ status, body }: ToolOutcome): ReceivedResponse {
  const text = JSON.stringify(body);
  return {
    status,
    headers: [],
    setCookies: [],
    body: { kind: 'json', value: readJson(text) },
    displayedBody: { text: undefined, sizeBytes: text.length, truncated: true },
  };
}

/** The outcome of an error of JSON-RPC. */
export function toErrorOutcome(error: object): ToolOutcome {
  return { status: toolOutcomeStatuses.protocol_error, body: error };
}

/** Texts that are an object or a list as JSON, others as the field `text`; content without a text as it is. */
function readContent(content: unknown): unknown {
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = items.flatMap((item) => {
    const { type, text } = members(item);
    return type === 'text' && typeof text === 'string' ? [text] : [];
  });
  if (texts.length === 0) return items.length === 0 ? null : { content: items };
  const joined = texts.join('\n');
  const value = parseJson(joined);
  return typeof value === 'object' && value !== null ? value : { text: joined };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
