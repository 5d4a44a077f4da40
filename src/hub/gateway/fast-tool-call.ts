/**
 * The fast path for tool calls of the newest protocol era that need nothing but a result. The SDK would create a
 * server, a transport and a dozen schema checks for each. Only fully valid requests are accepted here: everything else
 * goes to the SDK, which serves or rejects it with its own errors.
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
import { isObject } from '../../json/json-object.ts';
import { pickForwardedCapabilities } from '../upstream/upstream-call.ts';
import { type CallContext, type IncomingRequest, truncateClientInfo } from './call-context.ts';
import type { McpResult } from './pending-calls.ts';

export type FastToolCall = {
  readonly id: string | number;
  readonly name: string;
  readonly arguments: Record<string, unknown> | undefined;
  readonly context: CallContext;
};

const protocolVersion = '2026-07-28';
const protocolKeyPrefix = 'io.modelcontextprotocol/';
const allowedMembers = {
  message: new Set(['jsonrpc', 'id', 'method', 'params']),
  params: new Set(['name', 'arguments', '_meta']),
  client: new Set(['name', 'version', 'title']),
};

function hasOnlyMembers(value: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  for (const name in value) if (!names.has(name)) return false;
  return true;
}

/** Returns undefined if the SDK has to handle the request. */
export function parseFastToolCall(
  incoming: IncomingRequest,
  request: Request,
  body: unknown,
): FastToolCall | undefined {
  if (!isObject(body) || !hasOnlyMembers(body, allowedMembers.message)) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id)) return undefined;
  if (!isObject(params) || !hasOnlyMembers(params, allowedMembers.params)) return undefined;
  const { name, arguments: args, _meta: meta } = params;
  if (typeof name !== 'string' || !headersMatchBody(request.headers, name) || !isObject(meta)) return undefined;
  if (args !== undefined && !isObject(args)) return undefined;
  const context = createFastCallContext(incoming, request, meta);
  return context && { id, name, arguments: args, context };
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** True if the headers repeat the members of the body exactly. */
function headersMatchBody(headers: Headers, name: string): boolean {
  if (headers.get('mcp-method') !== 'tools/call' || headers.get('mcp-protocol-version') !== protocolVersion)
    return false;
  if (headers.get('mcp-name') !== name || name.startsWith('=?') || headers.has('mcp-session-id')) return false;
  const accept = headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return false;
  return headers.get('content-type') === 'application/json';
}

/** Returns undefined for invalid metadata and for requests that want progress or log messages. */
function createFastCallContext(
  incoming: IncomingRequest,
  request: Request,
  meta: Record<string, unknown>,
): CallContext | undefined {
  const {
    [PROTOCOL_VERSION_META_KEY]: announcedVersion,
    [CLIENT_INFO_META_KEY]: client,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
    ...rest
  } = meta;
  if (announcedVersion !== protocolVersion || !isImplementation(client) || !isCapabilities(capabilities))
    return undefined;
  for (const name in rest) if (name === 'progressToken' || name.startsWith(protocolKeyPrefix)) return undefined;
  return {
    ...incoming,
    principal: { ...incoming.principal, client: truncateClientInfo(client) },
    capabilities: pickForwardedCapabilities(capabilities),
    signal: request.signal,
    progressToken: undefined,
    meta: rest,
    logLevel: undefined,
    inputResponses: undefined,
    requestState: undefined,
    notify: () => {},
  };
}

function isImplementation(value: unknown): value is Implementation {
  if (!isObject(value) || !hasOnlyMembers(value, allowedMembers.client)) return false;
  const { name, version, title } = value;
  return typeof name === 'string' && typeof version === 'string' && (title === undefined || typeof title === 'string');
}

function isCapabilities(value: unknown): value is ClientCapabilities {
  if (!isObject(value)) return false;
  for (const _ in value) return isSpecType.ClientCapabilities(value);
  return true;
}

/**
 * The response of a result whose JSON text is available, identical to the SDK's; undefined if the SDK would inspect the
 * result further.
 */
export function createFastResponse(
  { id }: FastToolCall,
  { result, text }: { readonly result: McpResult; readonly text: string },
  server: Implementation,
): Response | undefined {
  const { resultType, content, structuredContent, _meta: meta } = result;
  if (resultType !== undefined || !Array.isArray(content)) return undefined;
  if (structuredContent !== undefined && !isObject(structuredContent)) return undefined;
  const hasServerInfo = isObject(meta) && meta[SERVER_INFO_META_KEY] !== undefined;
  if (meta !== undefined && !hasServerInfo) return undefined;
  // A server that names itself in the result is not overridden.
  const serverInfoMember = hasServerInfo ? '' : `,"_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: server })}`;
  const resultJson = `${text.slice(0, -1)},"resultType":"complete"${serverInfoMember}}`;
  return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`, {
    headers: { 'Content-Type': 'application/json' },
  });
}
