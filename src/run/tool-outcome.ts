/**
 * What checks see of a tool call: `status` is the outcome, and `body` the structured content or the text of the result.
 */
import { isList, isObjectValue, type Json, type JsonObject } from '../check/json/json.ts';
import { observeJson } from '../check/json/observe-json.ts';
import { readJson } from '../check/json/read-json.ts';
import type { ReceivedResponse } from './evidence.ts';

/** `result`; `tool_error`: the tool says that it failed; `denied`: by the hub's policy; `protocol_error`: an error of JSON-RPC. */
const toolOutcomeStatuses = { result: 200, tool_error: 500, denied: 403, protocol_error: 400 } as const;

/** `text` is the body as JSON, with the numbers that the tool sent. */
export type ToolOutcome = { readonly status: number; readonly text: string };

/** The member of a result's `_meta` in which a hub gives the reason of a denial. */
const denialKey = 'vp/denied';

/** The outcome of a result of `tools/call`. */
export function toToolOutcome({ isError, _meta: meta, structuredContent, content }: JsonObject): ToolOutcome {
  const isDenied = getMembers(meta)[denialKey] !== undefined;
  const failed = isDenied ? 'denied' : 'tool_error';
  const status = toolOutcomeStatuses[isError === true ? failed : 'result'];
  return { status, text: isStructure(structuredContent) ? JSON.stringify(structuredContent) : formatContent(content) };
}

/** The outcome of a result that is given as JSON text. Throws SyntaxError. */
export function parseToolOutcome(resultText: string): ToolOutcome {
  return toToolOutcome(getMembers(readJson(resultText)));
}

/** The outcome as the response that is judged. */
export function toReceivedResponse({ status, text }: ToolOutcome): ReceivedResponse {
  return {
    status,
    headers: [],
    setCookies: [],
    body: observeJson(text),
    displayedBody: { text: undefined, sizeBytes: text.length, truncated: true },
  };
}

/** The outcome of an error of JSON-RPC. */
export function toErrorOutcome(error: JsonObject): ToolOutcome {
  return { status: toolOutcomeStatuses.protocol_error, text: JSON.stringify(error) };
}

/** Texts that are an object or a list as they are, others as the field `text`; content without a text as it is. */
function formatContent(content: Json | undefined): string {
  const items = content !== undefined && isList(content) ? content : [];
  const texts = items.flatMap((item) => {
    const { type, text } = getMembers(item);
    return type === 'text' && typeof text === 'string' ? [text] : [];
  });
  if (texts.length === 0) return JSON.stringify(items.length === 0 ? null : { content: items });
  const joined = texts.join('\n');
  return isJsonStructure(joined) ? joined : JSON.stringify({ text: joined });
}

function isJsonStructure(text: string): boolean {
  try {
    return isStructure(JSON.parse(text));
  } catch {
    return false;
  }
}

function isStructure(value: Json | undefined): value is JsonObject | readonly Json[] {
  return value !== undefined && (isObjectValue(value) || isList(value));
}

function getMembers(value: Json | undefined): JsonObject {
  return value !== undefined && isObjectValue(value) ? value : {};
}
