/** Subscriptions of clients of the newest revision: a stream each, with the changes that the client has named. */
import {
  type Implementation,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
  type SubscriptionFilter,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import { repeatEvery } from '../../timing/repeat.ts';
import { internalErrorCode } from '../protocol/protocol-errors.ts';
import { ListenerStream } from './listener-stream.ts';
import { type McpReply, StreamReply } from './mcp-http.ts';
import { createRpcErrorResponse, formatResult, type RpcId } from './rpc-response.ts';

/** Events of a hub. */
export type SubscriptionListener = {
  onChanged(list: 'tools' | 'prompts' | 'resources'): void;
  onUpdated(uri: string): void;
};

/** The member of a filter that the tasks extension adds. */
export type TaskFilter = { readonly taskIds?: readonly string[] };

export type SubscriptionRequest = {
  readonly id: RpcId;
  readonly filter: SubscriptionFilter & TaskFilter;
  readonly personId: string;
  readonly server: Implementation;
  readonly signal: AbortSignal;
  /** Called when the subscription starts; the returned function stops the events. */
  listen(listener: SubscriptionListener & { onTask(state: Record<string, unknown>): void }): () => void;
};

type Subscription = { readonly personId: string; readonly stream: ListenerStream; readonly endMessage: string };

const maxPerPerson = 256;
const heartbeatMs = 15_000;
const filterNames = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

export class Subscriptions {
  readonly #open = new Set<Subscription>();
  readonly #countsByPerson = new Map<string, number>();
  readonly #maxSubscriptions: number;
  readonly #stopHeartbeats: () => void;

  constructor(clock: Pick<Clock, 'after'>, maxSubscriptions: number) {
    this.#maxSubscriptions = maxSubscriptions;
    this.#stopHeartbeats = repeatEvery(clock, heartbeatMs, () => {
      for (const { stream } of this.#open) stream.sendHeartbeat();
    });
  }

  get size(): number {
    return this.#open.size;
  }

  start(request: SubscriptionRequest): McpReply {
    const { id, filter, personId, server, signal } = request;
    const ofPerson = this.#countsByPerson.get(personId) ?? 0;
    if (this.#open.size >= this.#maxSubscriptions || ofPerson >= maxPerPerson)
      return createRpcErrorResponse(200, { code: internalErrorCode, message: 'Subscription limit reached' }, id);
    const accepted = pickAccepted(filter);
    const idMember = { [SUBSCRIPTION_ID_META_KEY]: id };
    let stopListening = (): void => {};
    const stream = new ListenerStream(() => {
      if (this.#open.delete(subscription)) this.#count(personId, -1);
      stopListening();
      signal.removeEventListener('abort', onAbort);
    });
    const endResult = { resultType: 'complete', _meta: { ...idMember, [SERVER_INFO_META_KEY]: server } };
    const subscription = { personId, stream, endMessage: formatResult(id, JSON.stringify(endResult)) };
    const onAbort = (): void => stream.close();
    const notify = (method: string, params: Record<string, unknown> = {}): void => {
      const _meta = { ...Object(params._meta), ...idMember };
      stream.send(JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta } }));
    };
    notify('notifications/subscriptions/acknowledged', { notifications: accepted });
    if (Object.keys(accepted).length === 0) {
      end(subscription);
      return new StreamReply(stream);
    }
    this.#open.add(subscription);
    this.#count(personId, 1);
    const uris = new Set(accepted.resourceSubscriptions);
    stopListening = request.listen({
      onChanged: (list) => accepted[filterNames[list]] && notify(`notifications/${list}/list_changed`),
      onUpdated: (uri) => uris.has(uri) && notify('notifications/resources/updated', { uri }),
      onTask: (state) => notify('notifications/tasks', state),
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    return new StreamReply(stream);
  }

  #count(personId: string, change: number): void {
    const count = (this.#countsByPerson.get(personId) ?? 0) + change;
    if (count > 0) this.#countsByPerson.set(personId, count);
    else this.#countsByPerson.delete(personId);
  }

  close(): void {
    this.#stopHeartbeats();
    for (const subscription of [...this.#open]) end(subscription);
  }
}

function end({ stream, endMessage }: Subscription): void {
  stream.send(endMessage);
  stream.close();
}

/** The members that ask for something. */
function pickAccepted({
  toolsListChanged,
  promptsListChanged,
  resourcesListChanged,
  resourceSubscriptions = [],
  taskIds = [],
}: SubscriptionFilter & TaskFilter): SubscriptionFilter & TaskFilter {
  return {
    ...(toolsListChanged === true ? { toolsListChanged } : {}),
    ...(promptsListChanged === true ? { promptsListChanged } : {}),
    ...(resourcesListChanged === true ? { resourcesListChanged } : {}),
    ...(resourceSubscriptions.length > 0 ? { resourceSubscriptions } : {}),
    ...(taskIds.length > 0 ? { taskIds } : {}),
  };
}
