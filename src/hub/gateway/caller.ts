/** Who calls, as the handlers of a server meet it: by the very object that the SDK hands on. */
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  isSpecType,
  LOG_LEVEL_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { forwardedCapabilities } from '../upstream/call.ts';
import type { HubPrincipal } from '../words.ts';
import type { HeldResult } from './held-calls.ts';

/** A request that was let in. */
export type Arrived = {
  readonly principal: HubPrincipal;
  readonly requestId?: string | undefined;
  readonly requestBytes: number;
  /** The headers of an HTTP request of the newest era, for what mirrors the body. */
  readonly headers: Headers;
  /** The ids of its calls that somebody has begun with. */
  readonly begun: Set<string | number>;
  /** The tool call that it asked for, where that has been made already. */
  readonly made?: Promise<HeldResult> | undefined;
};

/** A call with all that the handlers look at. */
export type Caller = Omit<Arrived, 'begun'> & {
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly logLevel: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly requestState: string | undefined;
  notify(method: string, params: Record<string, unknown>): void;
};

const arrivals = new WeakMap<AuthInfo, Arrived>();

/** What to give the SDK so that {@link callerOf} finds the arrival again. */
export function authInfoFor(arrived: Arrived): AuthInfo {
  const info: AuthInfo = { token: '', clientId: arrived.principal.person.personId, scopes: [] };
  arrivals.set(info, arrived);
  return info;
}

/** Who arrived with it; undefined for an object of another origin. */
export function principalOf(info: AuthInfo): HubPrincipal | undefined {
  return arrivals.get(info)?.principal;
}

/** The caller of a request. `session` is what a client of an older era said when its session began. */
export function callerOf(
  ctx: ServerContext,
  session: { server: Server; logLevel: string | undefined } | undefined,
): Caller {
  const arrived = ctx.http?.authInfo && arrivals.get(ctx.http.authInfo);
  if (!arrived) throw new TypeError('a request arrived without its caller');
  const { mcpReq } = ctx;
  arrived.begun.add(mcpReq.id);
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const told = envelope[CLIENT_CAPABILITIES_META_KEY] ?? session?.server.getClientCapabilities();
  const { progressToken, ...meta } = { ...mcpReq._meta };
  const logLevel = envelope[LOG_LEVEL_META_KEY] ?? session?.logLevel;
  const requestState = mcpReq.requestState();
  return {
    ...arrived,
    principal: { ...arrived.principal, client: clientOf(ctx, session?.server) ?? arrived.principal.client },
    capabilities: forwardedCapabilities(isCapabilities(told) ? told : {}),
    signal: mcpReq.signal,
    progressToken,
    meta,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    inputResponses: mcpReq.inputResponses,
    requestState: typeof requestState === 'string' ? requestState : undefined,
    // Whoever does not hear it has left, which the signal tells.
    notify: (method, params) => void mcpReq.notify({ method, params }).catch(() => {}),
  };
}

function isCapabilities(value: unknown): value is ClientCapabilities {
  return isSpecType.ClientCapabilities(value);
}

const clientInfoKey = 'io.modelcontextprotocol/clientInfo';
const longestName = 100;

function clientOf({ mcpReq }: ServerContext, server: Server | undefined): HubPrincipal['client'] {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const told = envelope[clientInfoKey] ?? server?.getClientVersion();
  return isSpecType.Implementation(told) ? shortName(told) : undefined;
}

/** What a program says of itself, cut to a bearable length. */
export function shortName({ name, version }: { name: string; version: string }): HubPrincipal['client'] {
  return { name: name.slice(0, longestName), version: version.slice(0, longestName) };
}
