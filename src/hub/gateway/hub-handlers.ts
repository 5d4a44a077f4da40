/** What the handlers of requests share, whatever their revision. */
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { HubPrincipal } from '../access/principal.ts';
import { type McpReply, type McpRequest, onceCallerLeft } from '../downstream/mcp-http.ts';
import { createDuplicateIdResponse, formatResult, formatRpcError, toRpcError } from '../downstream/rpc-response.ts';
import type { SessionStreams } from '../downstream/session-streams.ts';
import type { HubTaskService } from '../tasks/task-service.ts';
import type { WatchTarget } from '../upstream/changes.ts';
import type { IncomingRequest } from './call-context.ts';
import { CallExchange, type SessionCalls } from './call-exchange.ts';
import type { HubCallService } from './call-service.ts';
import type { ConnectionRoute, HubCatalogue } from './catalogue.ts';
import type { DirectCall } from './direct-call.ts';
import { runDirectCall } from './direct-call-runner.ts';
import { getHubInfo } from './hub-description.ts';
import type { McpSession } from './mcp-session.ts';
import type { McpResult } from './pending-calls.ts';
import { withProtocolErrors } from './protocol-error.ts';
import { unwrapCall } from './unwrapped-call.ts';

export type HubHandlers = {
  readonly catalogue: HubCatalogue;
  readonly calls: HubCallService;
  readonly tasks: HubTaskService;
  readonly version: string;
  readonly onError: (error: unknown) => void;
  /**
   * Returns a function that stops watching the resource; `onDenied` is called if the policy does. Throws HUB_TOOL_UNKNOWN,
   * HUB_LISTENERS_LIMITED, UPSTREAM_*.
   */
  watch(principal: HubPrincipal, uri: string, onDenied: () => void): Promise<() => void>;
  /** Watches something at the server of a connection, likewise. */
  watchAtServer(principal: HubPrincipal, route: ConnectionRoute, target: WatchTarget): Promise<() => void>;
  /** The client of a session has said that its roots have changed. */
  announceRoots(principal: HubPrincipal, session: McpSession): void;
  /** Counts a stream of notifications; returns a function that gives it back. Throws HUB_LISTENERS_LIMITED. */
  openStream(principal: HubPrincipal): Promise<() => void>;
};

/** What calls need of their session; without `streams`, responses cannot be resumed. */
export type CallSession = { readonly calls: SessionCalls; readonly streams?: SessionStreams };

/** Sends a call to its server. */
export function forwardHubCall(
  handlers: HubHandlers,
  incoming: IncomingRequest,
  request: Pick<McpRequest, 'signal' | 'onceLeft'>,
  sentCall: DirectCall,
  session?: CallSession,
): Promise<McpReply> {
  const call = unwrapCall(incoming.principal, sentCall);
  const sessionCalls = session?.calls;
  const onBroken = (): void => leaveCall(exchange, call, sessionCalls);
  const exchange = new CallExchange(call.id, session?.streams && { streams: session.streams, onBroken });
  if (sessionCalls?.add(exchange) === false) return Promise.resolve(createDuplicateIdResponse(call.id));
  incoming.handledIds.add(call.id);
  const stopListening = onceCallerLeft(request, () => {
    // A broken connection may be noticed after the client has come back on another one.
    if (!exchange.isResumed) onBroken();
  });
  const { principal } = incoming;
  const dependencies = {
    calls: handlers.calls,
    tasks: handlers.tasks,
    server: getHubInfo(principal, handlers.version),
    onError: handlers.onError,
    sessionCalls,
    findOutputSchema: async (directCall: DirectCall) => {
      if (directCall.method !== 'tools/call') return undefined;
      const tool = await handlers.catalogue.findTool(principal, directCall.name).catch((): undefined => undefined);
      return tool?.original.outputSchema;
    },
  };
  void runDirectCall(dependencies, exchange, call).then(stopListening);
  return exchange.response;
}

/** In older revisions a broken connection cancels nothing, except a call that waits for its caller. */
function leaveCall(exchange: CallExchange, { id, isModern }: DirectCall, sessionCalls: SessionCalls | undefined): void {
  const isWaiting = sessionCalls?.rejectQuestions(exchange) ?? false;
  const message = 'the connection broke while the call waited for an answer';
  const response = isWaiting ? formatRpcError(id, { code: ProtocolErrorCode.InternalError, message }) : undefined;
  if (isModern || isWaiting) exchange.abort(new Error('the caller has left'), response);
  else exchange.leave();
}

/** Answers a request that the hub handles itself; a session can cancel it. */
export async function answerHubRequest(
  { onError }: Pick<HubHandlers, 'onError'>,
  id: string | number,
  work: (signal: AbortSignal) => Promise<McpResult>,
  sessionCalls?: SessionCalls,
): Promise<McpReply> {
  const exchange = new CallExchange(id);
  if (sessionCalls?.add(exchange) === false) return createDuplicateIdResponse(id);
  void withProtocolErrors(Promise.try(work, exchange.signal), onError)
    .then(
      (result) => exchange.end(formatResult(id, JSON.stringify(result))),
      (error: unknown) => exchange.end(formatRpcError(id, toRpcError(error))),
    )
    .finally(() => sessionCalls?.remove(exchange));
  return exchange.response;
}
