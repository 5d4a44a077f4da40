/**
 * `CALL <connection>__<tool>`: a trigger that calls a tool through the hub at the target's address. It is sent as one request of MCP
 * 2025-11-25 without a session, which every hub answers with one response.
 */
import type { LinePiece } from './blocks.ts';
import type { Template, TemplatePart, Trigger } from './scenario.ts';
import { toRange } from './source.ts';
import { readTemplate, type TemplateContext } from './template.ts';

export const callWord = 'CALL';
/** Where a hub takes calls with a personal access token. */
const hubPath = '/agent/mcp';
/** As clients name it; names of servers are less strict than those of connections. */
const toolForm = /^[a-z0-9]+(?:-[a-z0-9]+)*__[^\s"\\]{1,200}$/;
const maxNameLength = 240;

/** True for the first line of such a trigger. */
export function isToolCall({ text }: LinePiece): boolean {
  return new RegExp(`^${callWord}(?:\\s|$)`).test(text);
}

type CallParts = { readonly head: readonly LinePiece[]; readonly body: readonly LinePiece[] | undefined };

/** Undefined if the call cannot be sent. Every problem is reported. */
export function readToolCall({ head, body }: CallParts, context: TemplateContext): Trigger | undefined {
  const [first, ...headers] = head;
  if (!first) return undefined;
  const { report, source } = context;
  const tool = first.text.slice(callWord.length).trim();
  const isValidName = tool.length <= maxNameLength && toolForm.test(tool);
  if (!isValidName) report('SCENARIO_CALL_INVALID', first.start, first.start + first.text.length, {});
  const [header] = headers;
  if (header) report('SCENARIO_CALL_HEADER', header.start, header.start + header.text.length, {});
  const args = body === undefined || body.length === 0 ? undefined : readTemplate(body, context);
  const isValid = args === undefined || isJsonObject(args);
  if (args && !isValid) report('SCENARIO_CALL_ARGUMENTS', args.range.start.offset, args.range.end.offset, {});
  if (!isValidName || header || !isValid) return undefined;
  const range = toRange(source, first.start, args?.range.end.offset ?? first.start + first.text.length);
  const path: Template = { parts: [{ text: hubPath }], range };
  return { method: 'POST', path, headers: [], body: args, tool, range };
}

/** Placeholders stand inside of strings, where any value fits. */
function isJsonObject({ parts }: Template): boolean {
  try {
    const value: unknown = JSON.parse(parts.map(toSampleText).join(''));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function toSampleText(part: TemplatePart): string {
  return 'text' in part ? part.text : 'x';
}

/** The value of a placeholder within a JSON string. */
export function escapeInJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

export const callHeaders = [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
  ['MCP-Protocol-Version', '2025-11-25'],
] as const;

/** The id of the only request. */
export const callId = 1;

/** The message, with the numbers of the arguments as they are written. */
export function buildCallMessage(tool: string, argumentsText: string, correlationId: string): string {
  const meta = JSON.stringify({ 'vp/correlation-id': correlationId });
  return `{"jsonrpc":"2.0","id":${callId},"method":"tools/call","params":{"name":${JSON.stringify(tool)},"arguments":${argumentsText},"_meta":${meta}}}`;
}
