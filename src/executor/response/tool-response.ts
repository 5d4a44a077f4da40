/** Converts the hub's response to a tool call into the response that checks look at. */
import { isObjectValue, type Json, type JsonObject } from '../../check/json/json.ts';
import { exceedsParsedBytes, maxParsedBytes } from '../../check/json/json-size.ts';
import { readJson } from '../../check/json/read-json.ts';
import { findConflictingKey } from '../../check/json/repeated-keys.ts';
import { findHeaderValue } from '../../run/evidence.ts';
import { type ToolOutcome, toErrorOutcome, toToolOutcome } from '../../run/tool-outcome.ts';
import { callId } from '../../scenario/tool-call.ts';
import { createFailure } from '../execution-failure.ts';
import type { TriggerResult } from '../trigger/send-request.ts';
import { formatAddress } from '../trigger/target-address.ts';

/**
 * The outcome of the call as a response with JSON. Refusals of HTTP (401, 403, 429) and failures stay as they are; a response of
 * status 200 without an answer is a failure, because its status says nothing about the tool.
 */
export function toToolResponse(result: TriggerResult, origin: string): TriggerResult {
  const { head, bytes, failure } = result;
  if (!head || failure || head.status !== 200) return result;
  const type = findHeaderValue(head.headers, 'content-type') ?? '';
  const text = bytes.toString('utf8');
  if (exceedsParsedBytes(text, maxParsedBytes)) {
    const limit = `${maxParsedBytes / 1_048_576} MiB once it is parsed`;
    const values = { address: formatAddress(origin), limit, size: `${bytes.length} bytes of JSON` };
    return { ...result, failure: createFailure('EXECUTOR_RESPONSE_TOO_LARGE', values) };
  }
  const outcome = findOutcome(text, type);
  if (!outcome) {
    const address = formatAddress(origin);
    return { ...result, failure: createFailure('EXECUTOR_TOOL_UNANSWERED', { address }) };
  }
  const others = head.headers.filter(([name]) => !/^content-(?:type|length|encoding)$/i.test(name));
  const headers = [...others, ['Content-Type', 'application/json'] as const];
  return { ...result, head: { status: outcome.status, headers }, bytes: Buffer.from(outcome.text) };
}

function findOutcome(text: string, type: string): ToolOutcome | undefined {
  const messages = /^text\/event-stream\b/i.test(type) ? listEventData(text) : [text];
  for (const message of messages) {
    const { id, result, error } = parseObject(message);
    if (id !== callId) continue;
    if (isPresentObject(result)) return toToolOutcome(result);
    if (isPresentObject(error)) return toErrorOutcome(error);
  }
  return undefined;
}

/** The data of server-sent events. */
function listEventData(text: string): string[] {
  return text.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).replace(/^ /, ''))
      .join('\n'),
  );
}

function isPresentObject(value: Json | undefined): value is JsonObject {
  return value !== undefined && isObjectValue(value);
}

/** Empty for everything but an object of which every reader sees the same. */
function parseObject(text: string): JsonObject {
  try {
    const value = readJson(text);
    return isObjectValue(value) && findConflictingKey(text, value) === undefined ? value : {};
  } catch {
    return {};
  }
}
