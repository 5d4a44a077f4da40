/** `subscriptions/listen` of the newest revision: changed lists, watched resources and, with the extension, watched tasks. */
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { VpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import type { McpReply, McpRequest } from '../downstream/mcp-http.ts';
import { parseRpcParams } from '../downstream/request-params.ts';
import { createRpcErrorResponse, toRpcError } from '../downstream/rpc-response.ts';
import type { Subscriptions } from '../downstream/subscriptions.ts';
import { assertTasksDeclared } from '../tasks/task-publisher.ts';
import type { CallContext, IncomingRequest } from './call-context.ts';
import { createNewestContext } from './direct-call.ts';
import { createHubDescription } from './hub-description.ts';
import type { HubEvents } from './hub-events.ts';
import type { HubHandlers } from './hub-handlers.ts';
import { toProtocolError } from './protocol-error.ts';

export type SubscriptionDependencies = {
  readonly handlers: HubHandlers;
  readonly events: HubEvents;
  readonly subscriptions: Subscriptions;
};

type StopWatching = () => void;

const maxWatchesPerListener = 200;

/**
 * Watches the resources and tasks that a subscription names until it ends; those that cannot be watched are skipped. Throws a
 * ProtocolError for params that are invalid, and for tasks of a client that does not declare the extension.
 */
export async function startSubscription(
  { handlers, events, subscriptions }: SubscriptionDependencies,
  incoming: IncomingRequest,
  { signal }: McpRequest,
  { id, params }: JSONRPCRequest,
): Promise<McpReply> {
  const { principal } = incoming;
  const { notifications: filter } = parseRpcParams('subscriptions/listen', params);
  const uris = (filter.resourceSubscriptions ?? []).slice(0, maxWatchesPerListener);
  const requestedIds = parseTaskIds(params).slice(0, maxWatchesPerListener);
  const stopped = new AbortController();
  const context = createWatchContext(incoming, params, stopped.signal);
  if (requestedIds.length > 0) assertTasksDeclared(context.capabilities);
  const deniedUris = new Set<string>();
  let onTask = (_state: Record<string, unknown>): void => {};
  const watchTask = (taskId: string): Promise<StopWatching> =>
    handlers.tasks.watch(
      context,
      taskId,
      ({ taskId: serverId, ...route }) => handlers.watchAtServer(principal, route, { taskId: serverId }),
      (state) => onTask(state),
    );
  const [stream, resources, tasks] = await Promise.all([
    Promise.allSettled([handlers.openStream(principal)]),
    Promise.allSettled(uris.map((uri) => handlers.watch(principal, uri, () => deniedUris.add(uri)))),
    Promise.allSettled(requestedIds.map(watchTask)),
  ]);
  const outcomes = [...stream, ...resources, ...tasks];
  const stopAll = (): void => {
    stopped.abort();
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') outcome.value();
  };
  const limit = outcomes.find(isLimited);
  if (limit) {
    stopAll();
    return createRpcErrorResponse(200, toRpcError(toProtocolError(limit.reason)), id);
  }
  // What is acknowledged is watched: updates of other resources may be those that somebody else watches.
  const resourceSubscriptions = uris.filter((_uri, index) => resources[index]?.status === 'fulfilled');
  const taskIds = requestedIds.filter((_id, index) => tasks[index]?.status === 'fulfilled');
  const { hub, person } = principal;
  let isStarted = false;
  const response = subscriptions.start({
    id,
    filter: { ...filter, resourceSubscriptions, taskIds },
    personId: person.personId,
    server: createHubDescription(principal, handlers.version).info,
    signal,
    listen(listener) {
      isStarted = true;
      onTask = (state) => listener.onTask(state);
      const stopListening = events.listen(hub.id, {
        onChanged: (list) => listener.onChanged(list),
        onUpdated: (uri) => deniedUris.has(uri) || listener.onUpdated(uri),
      });
      return () => {
        stopListening();
        stopAll();
      };
    },
  });
  if (!isStarted) stopAll();
  return response;
}

/** The member of the filter that the tasks extension adds; the schemas of the protocol do not know it. */
function parseTaskIds(params: JSONRPCRequest['params']): readonly string[] {
  const filter = isObject(params?.notifications) ? params.notifications : {};
  const taskIds: readonly unknown[] = Array.isArray(filter.taskIds) ? filter.taskIds : [];
  return [...new Set(taskIds.filter((taskId) => typeof taskId === 'string'))];
}

/** The context of the requests that read a task while it is watched. */
function createWatchContext(
  incoming: IncomingRequest,
  params: JSONRPCRequest['params'],
  signal: AbortSignal,
): CallContext {
  const meta = isObject(params?._meta) ? params._meta : {};
  const answers = { inputResponses: undefined, requestState: undefined };
  const context = createNewestContext(incoming, meta, answers);
  return { ...context, meta: {}, progressToken: undefined, logLevel: undefined, signal, notify: () => {} };
}

function isLimited(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  if (outcome.status === 'fulfilled') return false;
  return outcome.reason instanceof VpError && outcome.reason.code === 'HUB_LISTENERS_LIMITED';
}
