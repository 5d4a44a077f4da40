/**
 * A quick look at a call in any revision, which costs less than the schemas of the protocol. Only fully valid requests are
 * accepted here: the others are validated by the schemas, which say what is wrong with them.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type CompleteRequest,
  type Implementation,
  isSpecType,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { setExactPart } from '../../json/exact-values.ts';
import { isObject, omitMembers } from '../../json/json-object.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { HeaderReader, McpRequest } from '../downstream/mcp-http.ts';
import { newestRevision, olderRevisions } from '../downstream/revisions.ts';
import type { TaskRequest } from '../tasks/task-results.ts';
import { defaultLogLevel, isLogLevel } from '../upstream/log-level.ts';
import { pickForwardedCapabilities } from '../upstream/upstream-call.ts';
import { type CallContext, type IncomingRequest, truncateClientInfo } from './call-context.ts';
import type { ResolvedTool } from './catalogue.ts';

/** Without what the exchange adds. */
export type DirectContext = Omit<CallContext, 'signal' | 'notify' | 'ask'>;

export type DirectCall = {
  readonly id: string | number;
  readonly context: DirectContext;
  /** True for clients of the newest era, whose results have a type. */
  readonly isModern: boolean;
} & (
  | {
      readonly method: 'tools/call';
      readonly name: string;
      readonly arguments: Record<string, unknown> | undefined;
      /** How the client of 2025-11-25 wants the tool to run as a task; undefined for a usual call. */
      readonly task?: Readonly<Record<string, unknown>> | undefined;
      /** The tool of that name, where it was found already. */
      readonly resolved?: ResolvedTool | undefined;
    }
  | TaskRequest
  | { readonly method: 'prompts/get'; readonly name: string; readonly arguments: Record<string, string> | undefined }
  | { readonly method: 'resources/read'; readonly uri: string }
  | { readonly method: 'completion/complete'; readonly params: CompleteRequest['params'] }
);

/** What the client of a session said when it started. */
export type DirectSession = {
  readonly capabilities: ClientCapabilities;
  readonly client: HubPrincipal['client'];
  readonly logLevel: string | undefined;
};

const protocolKeyPrefix = 'io.modelcontextprotocol/';
/** Members of `_meta` that are read here and not forwarded as they are. */
const olderMetaNames: ReadonlySet<string> = new Set(['progressToken']);
const newestMetaNames: ReadonlySet<string> = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  'progressToken',
]);
const allowedMembers = {
  message: new Set(['jsonrpc', 'id', 'method', 'params']),
  params: new Set(['name', 'arguments', '_meta']),
  resource: new Set(['uri', '_meta']),
  client: new Set(['name', 'version', 'title']),
};

function hasOnlyMembers(value: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  for (const name in value) if (!names.has(name)) return false;
  return true;
}

/** A tool call of the newest revision; undefined if it has to be validated. */
export function parseModernCall(incoming: IncomingRequest, request: McpRequest, body: unknown): DirectCall | undefined {
  const target = parseTarget(body);
  if (target?.method !== 'tools/call' || !headersMatchBody(request.headers, target.name)) return undefined;
  const context = createModernContext(incoming, target.meta);
  return context && { ...target, context, isModern: true };
}

/** A call of an older revision, with or without a session; undefined if it has to be validated. */
export function parseLegacyCall(
  incoming: IncomingRequest,
  request: McpRequest,
  body: unknown,
  session: DirectSession | undefined,
): DirectCall | undefined {
  const target = parseTarget(body);
  const { headers } = request;
  if (!target || !headersAcceptResponses(headers)) return undefined;
  const revision = headers.get('mcp-protocol-version');
  if (revision !== null && !olderRevisions.includes(revision)) return undefined;
  const { meta } = target;
  if (meta && (PROTOCOL_VERSION_META_KEY in meta || !isProgressToken(meta.progressToken))) return undefined;
  return { ...target, context: createOlderContext(incoming, meta, session), isModern: false };
}

/** The context of a valid call of an older revision. */
export function createOlderContext(
  incoming: IncomingRequest,
  metadata: Record<string, unknown> | undefined,
  session: DirectSession | undefined,
): DirectContext {
  const { progressToken } = metadata ?? {};
  const meta = metadata ? omitMembers(metadata, olderMetaNames) : {};
  setExactPart(meta, metadata);
  const { client = incoming.principal.client } = session ?? {};
  return {
    ...incoming,
    principal: { ...incoming.principal, client },
    era: 'older',
    capabilities: pickForwardedCapabilities(session?.capabilities ?? {}),
    progressToken: isProgressToken(progressToken) ? progressToken : undefined,
    meta,
    logLevel: session ? session.logLevel : defaultLogLevel,
    inputResponses: undefined,
    requestState: undefined,
  };
}

/** The members that all eras share. */
function parseTarget(body: unknown) {
  if (!isObject(body) || !hasOnlyMembers(body, allowedMembers.message)) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || !isId(id) || !isObject(params)) return undefined;
  const { name, uri, arguments: args, _meta: meta } = params;
  if (meta !== undefined && !isObject(meta)) return undefined;
  if (method === 'resources/read' && typeof uri === 'string' && hasOnlyMembers(params, allowedMembers.resource))
    return { id, method, uri, meta } as const;
  if (typeof name !== 'string' || !hasOnlyMembers(params, allowedMembers.params)) return undefined;
  if (method === 'tools/call' && (args === undefined || isObject(args)))
    return { id, method, name, arguments: args, meta } as const;
  if (method === 'prompts/get' && (args === undefined || isTextRecord(args)))
    return { id, method, name, arguments: args, meta } as const;
  return undefined;
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function isProgressToken(token: unknown): token is string | number | undefined {
  return token === undefined || isId(token);
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
}

function headersAcceptResponses(headers: HeaderReader): boolean {
  const accept = headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return false;
  return /^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/** True if the headers repeat the members of the body exactly. */
function headersMatchBody(headers: HeaderReader, name: string): boolean {
  if (headers.get('mcp-method') !== 'tools/call' || headers.get('mcp-protocol-version') !== newestRevision)
    return false;
  if (headers.get('mcp-name') !== name || name.startsWith('=?') || headers.has('mcp-session-id')) return false;
  return headersAcceptResponses(headers);
}

/** The context of a call of the newest revision whose metadata was validated. */
export function createNewestContext(
  incoming: IncomingRequest,
  metadata: Readonly<Record<string, unknown>>,
  answers: Pick<DirectContext, 'inputResponses' | 'requestState'>,
): DirectContext {
  const {
    [CLIENT_INFO_META_KEY]: client,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
    [LOG_LEVEL_META_KEY]: logLevel,
    progressToken,
  } = metadata;
  const meta = omitMembers(metadata, newestMetaNames);
  setExactPart(meta, metadata);
  const { principal } = incoming;
  const clientInfo = isSpecType.Implementation(client) ? truncateClientInfo(client) : principal.client;
  return {
    ...incoming,
    principal: { ...principal, client: clientInfo },
    era: 'newest',
    capabilities: isCapabilities(capabilities) ? pickForwardedCapabilities(capabilities) : {},
    progressToken: isProgressToken(progressToken) ? progressToken : undefined,
    meta,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    ...answers,
  };
}

/** Returns undefined for metadata that has to be validated. */
function createModernContext(
  incoming: IncomingRequest,
  meta: Record<string, unknown> | undefined,
): DirectContext | undefined {
  if (!meta) return undefined;
  const {
    [PROTOCOL_VERSION_META_KEY]: announcedVersion,
    [CLIENT_INFO_META_KEY]: client,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
    [LOG_LEVEL_META_KEY]: logLevel,
    progressToken,
  } = meta;
  if (announcedVersion !== newestRevision || !isImplementation(client) || !isCapabilities(capabilities))
    return undefined;
  if (!isProgressToken(progressToken)) return undefined;
  if (logLevel !== undefined && (typeof logLevel !== 'string' || !isLogLevel(logLevel))) return undefined;
  const rest = omitMembers(meta, newestMetaNames);
  for (const name in rest) if (name.startsWith(protocolKeyPrefix)) return undefined;
  setExactPart(rest, meta);
  return {
    ...incoming,
    principal: { ...incoming.principal, client: truncateClientInfo(client) },
    era: 'newest',
    capabilities: pickForwardedCapabilities(capabilities),
    progressToken,
    meta: rest,
    logLevel,
    inputResponses: undefined,
    requestState: undefined,
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
