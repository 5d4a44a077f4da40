/** What the handlers of requests share, whatever their revision. */
import type { McpReply, McpRequest } from '../downstream/mcp-http.ts';
import { createDuplicateIdResponse, formatError, formatResult, toRpcError } from '../downstream/rpc-response.ts';
import type { HubPrincipal } from '../types.ts';
import type { IncomingRequest } from './call-context.ts';
import { CallExchange, type SessionCalls } from './call-exchange.ts';
import type { HubCallService } from './call-service.ts';
import type { HubCatalogue } from './catalogue.ts';
import type { DirectCall } from './direct-call.ts';
import { runDirectCall } from './direct-call-runner.ts';
import { createHubDescription } from './hub-description.ts';
import type { McpResult } from './pending-calls.ts';
import { withProtocolErrors } from './protocol-error.ts';

export type HubHandlers = {
  readonly catalogue: HubCatalogue;
  readonly calls: HubCallService;
  readonly version: string;
  /** Returns a function that stops watching the resource. Throws HUB_TOOL_UNKNOWN, UPSTREAM_*. */
  watch(principal: HubPrincipal, uri: string): Promise<() => void>;
};

/** Sends a call to its server. `sessionCalls` are those of the session, if there is one. */
export function handleCall(
  handlers: HubHandlers,
  incoming: IncomingRequest,
  request: Pick<McpRequest, 'signal'>,
  call: DirectCall,
  sessionCalls?: SessionCalls,
): Promise<McpReply> {
  const exchange = new CallExchange(call.id);
  if (sessionCalls?.add(exchange) === false) return Promise.resolve(createDuplicateIdResponse(call.id));
  incoming.handledIds.add(call.id);
  const { signal } = request;
  const onLeave = (): void => leaveCall(exchange, call, sessionCalls);
  if (signal.aborted) onLeave();
  else signal.addEventListener('abort', onLeave, { once: true });
  const { principal } = incoming;
  const dependencies = {
    calls: handlers.calls,
    server: createHubDescription(principal.hub.slug, handlers.version).info,
    sessionCalls,
    findOutputSchema: async (directCall: DirectCall) => {
      if (directCall.method !== 'tools/call') return undefined;
      const tool = await handlers.catalogue.findTool(principal, directCall.name).catch((): undefined => undefined);
      return tool?.original.outputSchema;
    },
  };
  void runDirectCall(dependencies, exchange, call).finally(() => signal.removeEventListener('abort', onLeave));
  return exchange.response;
}

/** In older revisions a broken connection cancels nothing, except a call that waits for its caller. */
function leaveCall(exchange: CallExchange, { isModern }: DirectCall, sessionCalls: SessionCalls | undefined): void {
  const isWaiting = sessionCalls?.rejectQuestions(exchange) ?? false;
  if (isModern || isWaiting) exchange.abort(new Error('the caller has left'));
  else exchange.leave();
}

/** Answers a request that the hub handles itself; a session can cancel it. */
export async function handleWithin(
  id: string | number,
  work: () => Promise<McpResult>,
  sessionCalls?: SessionCalls,
): Promise<McpReply> {
  const exchange = new CallExchange(id);
  if (sessionCalls?.add(exchange) === false) return createDuplicateIdResponse(id);
  void withProtocolErrors(Promise.try(work))
    .then(
      (result) => exchange.end(formatResult(id, JSON.stringify(result))),
      (error: unknown) => exchange.end(formatError(id, toRpcError(error))),
    )
    .finally(() => sessionCalls?.remove(exchange));
  return exchange.response;
}
