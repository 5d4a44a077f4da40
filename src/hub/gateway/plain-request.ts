/**
 * Tool calls of the newest era that want nothing but their answer, read without the SDK, which would make a server, a
 * transport and a dozen checks by schema for each. Only what is right in every point is read here: whatever is odd, or asks
 * for more, is left to the SDK, which serves it or refuses it in the protocol's words.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  isSpecType,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import { forwardedCapabilities } from '../upstream/call.ts';
import { type Arrived, type Caller, shortName } from './caller.ts';
import type { HeldResult } from './held-calls.ts';

/** A call, ready to be made. */
export type PlainRequest = {
  readonly id: string | number;
  readonly name: string;
  readonly arguments: Record<string, unknown> | undefined;
  readonly caller: Caller;
};

const revision = '2026-07-28';
const protocolKeys = 'io.modelcontextprotocol/';
const memberNames = {
  message: new Set(['jsonrpc', 'id', 'method', 'params']),
  params: new Set(['name', 'arguments', '_meta']),
  client: new Set(['name', 'version', 'title']),
};

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasOnly(value: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  for (const name in value) if (!names.has(name)) return false;
  return true;
}

/** The call in `body`; undefined for everything that has to be looked at by the SDK. */
export function plainRequest(arrived: Arrived, request: Request, body: unknown): PlainRequest | undefined {
  if (!isMembers(body) || !hasOnly(body, memberNames.message)) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id)) return undefined;
  if (!isMembers(params) || !hasOnly(params, memberNames.params)) return undefined;
  const { name, arguments: args, _meta: meta } = params;
  if (typeof name !== 'string' || !agree(request.headers, name) || !isMembers(meta)) return undefined;
  if (args !== undefined && !isMembers(args)) return undefined;
  const caller = callerIn(arrived, request, meta);
  return caller && { id, name, arguments: args, caller };
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** True where the headers are there and say what the body says, letter by letter. */
function agree(headers: Headers, name: string): boolean {
  if (headers.get('mcp-method') !== 'tools/call' || headers.get('mcp-protocol-version') !== revision) return false;
  if (headers.get('mcp-name') !== name || name.startsWith('=?') || headers.has('mcp-session-id')) return false;
  const accept = headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return false;
  return headers.get('content-type') === 'application/json';
}

/** Undefined where the envelope is not as it has to be, or where progress or log lines are asked for. */
function callerIn(arrived: Arrived, request: Request, meta: Record<string, unknown>): Caller | undefined {
  const {
    [PROTOCOL_VERSION_META_KEY]: told,
    [CLIENT_INFO_META_KEY]: client,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
    ...rest
  } = meta;
  if (told !== revision || !isClient(client) || !isCapabilities(capabilities)) return undefined;
  for (const name in rest) if (name === 'progressToken' || name.startsWith(protocolKeys)) return undefined;
  return {
    ...arrived,
    principal: { ...arrived.principal, client: shortName(client) },
    capabilities: forwardedCapabilities(capabilities),
    signal: request.signal,
    progressToken: undefined,
    meta: rest,
    logLevel: undefined,
    inputResponses: undefined,
    requestState: undefined,
    notify: () => {},
  };
}

function isClient(value: unknown): value is Implementation {
  if (!isMembers(value) || !hasOnly(value, memberNames.client)) return false;
  const { name, version, title } = value;
  return typeof name === 'string' && typeof version === 'string' && (title === undefined || typeof title === 'string');
}

function isCapabilities(value: unknown): value is ClientCapabilities {
  if (!isMembers(value)) return false;
  for (const _ in value) return isSpecType.ClientCapabilities(value);
  return true;
}

/**
 * The answer with a result, whose JSON text is at hand, as the SDK would give it; undefined where it would look further
 * into the result.
 */
export function plainAnswer(
  { id }: PlainRequest,
  { result, text }: { readonly result: HeldResult; readonly text: string },
  server: Implementation,
): Response | undefined {
  const { resultType, content, structuredContent, _meta: meta } = result;
  if (resultType !== undefined || !Array.isArray(content)) return undefined;
  if (structuredContent !== undefined && !isMembers(structuredContent)) return undefined;
  const names = isMembers(meta) && meta[SERVER_INFO_META_KEY] !== undefined;
  if (meta !== undefined && !names) return undefined;
  // The server that did the work has named itself, or is named by us.
  const named = names ? '' : `,"_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: server })}`;
  const whole = `${text.slice(0, -1)},"resultType":"complete"${named}}`;
  return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${whole}}`, {
    headers: { 'Content-Type': 'application/json' },
  });
}
