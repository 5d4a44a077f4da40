/** Passes the caller to the handlers of a server: the SDK hands on only the auth info object, which is the key here. */
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  isSpecType,
  LOG_LEVEL_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { HubPrincipal } from '../types.ts';
import { pickForwardedCapabilities } from '../upstream/upstream-call.ts';
import type { McpResult } from './pending-calls.ts';

/** A request after authentication. */
export type IncomingRequest = {
  readonly principal: HubPrincipal;
  readonly requestId?: string | undefined;
  readonly requestBytes: number;
  /** The headers of a request of the newest protocol era, which repeat members of the body. */
  readonly headers: Headers;
  /** The ids of calls that a handler has received. */
  readonly handledIds: Set<string | number>;
  /** The result of the request's tool call if it was started already. */
  readonly startedCall?: Promise<McpResult> | undefined;
};

/** A call with everything that handlers need. */
export type CallContext = Omit<IncomingRequest, 'handledIds'> & {
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly logLevel: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly requestState: string | undefined;
  notify(method: string, params: Record<string, unknown>): void;
};

const incomingRequests = new WeakMap<AuthInfo, IncomingRequest>();

/** The auth info by which {@link createCallContext} finds the request again. */
export function createAuthInfo(incoming: IncomingRequest): AuthInfo {
  const info: AuthInfo = { token: '', clientId: incoming.principal.person.personId, scopes: [] };
  incomingRequests.set(info, incoming);
  return info;
}

/** Returns undefined for an auth info that was not created here. */
export function findPrincipal(info: AuthInfo): HubPrincipal | undefined {
  return incomingRequests.get(info)?.principal;
}

/** `session` carries what a client of an older era sent when its session started. */
export function createCallContext(
  ctx: ServerContext,
  session: { server: Server; logLevel: string | undefined } | undefined,
): CallContext {
  const incoming = ctx.http?.authInfo && incomingRequests.get(ctx.http.authInfo);
  if (!incoming) throw new TypeError('the request has no caller');
  const { mcpReq } = ctx;
  incoming.handledIds.add(mcpReq.id);
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const announced = envelope[CLIENT_CAPABILITIES_META_KEY] ?? session?.server.getClientCapabilities();
  const { progressToken, ...meta } = { ...mcpReq._meta };
  const logLevel = envelope[LOG_LEVEL_META_KEY] ?? session?.logLevel;
  const requestState = mcpReq.requestState();
  return {
    ...incoming,
    principal: { ...incoming.principal, client: readClientInfo(ctx, session?.server) ?? incoming.principal.client },
    capabilities: pickForwardedCapabilities(isCapabilities(announced) ? announced : {}),
    signal: mcpReq.signal,
    progressToken,
    meta,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    inputResponses: mcpReq.inputResponses,
    requestState: typeof requestState === 'string' ? requestState : undefined,
    // A failed notification means that the caller has left, which the signal reports.
    notify: (method, params) => void mcpReq.notify({ method, params }).catch(() => {}),
  };
}

function isCapabilities(value: unknown): value is ClientCapabilities {
  return isSpecType.ClientCapabilities(value);
}

const clientInfoKey = 'io.modelcontextprotocol/clientInfo';
const maxNameLength = 100;

function readClientInfo({ mcpReq }: ServerContext, server: Server | undefined): HubPrincipal['client'] {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const clientInfo = envelope[clientInfoKey] ?? server?.getClientVersion();
  return isSpecType.Implementation(clientInfo) ? truncateClientInfo(clientInfo) : undefined;
}

export function truncateClientInfo({ name, version }: { name: string; version: string }): HubPrincipal['client'] {
  return { name: name.slice(0, maxNameLength), version: version.slice(0, maxNameLength) };
}
