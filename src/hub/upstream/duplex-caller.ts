/**
 * Sends single requests over a connection that carries messages in both directions: the standard streams of a program, or the
 * older HTTP with SSE. Responses are assigned by id and progress by token; the SDK's client, which negotiates the revision and
 * subscribes to changes, gets everything else over a transport of its own on the same connection.
 */

import { type Implementation, isSpecType, type Transport } from '@modelcontextprotocol/client';
import { InFlightMap } from '../../collections/in-flight.ts';
import { isObject, tryParseJson } from '../../json/json-object.ts';
import type { LargeJson } from '../../json/large-json-reader.ts';
import { stringifyRequest } from '../../json/sent-json.ts';
import type { MessageLink } from './message-link.ts';
import { ServerMessages } from './server-messages.ts';
import { addResultType, discoverMethod } from './untyped-discovery.ts';
import type { UpstreamQuestion } from './upstream-call.ts';
import {
  answerQuestion,
  createRequestMessage,
  extractLargeResult,
  extractResult,
  isListMethod,
  type RequestDeadline,
  readExactParams,
  readLargeMessage,
  type ServerNotification,
  toObjectOrEmpty,
  type UpstreamCaller,
  type UpstreamRpcRequest,
} from './upstream-request.ts';

/** What a caller does with messages that name no call. */
export type CallerEvents = {
  readonly client: Implementation;
  /** A result of the newest era lacks its type. */
  readonly onMissingType: () => void;
  onNotification(notification: ServerNotification): void;
  /** Answers a request of the server. */
  onQuestion(question: UpstreamQuestion): Promise<Record<string, unknown>>;
};

type PendingRequest = {
  readonly request: UpstreamRpcRequest;
  readonly deadline: RequestDeadline;
  readonly messages: ServerMessages;
  settle(outcome: PromiseSettledResult<Record<string, unknown>>): void;
};

/** The SDK's client counts its requests on the same connection from 0. */
const firstId = 1_000_000_000;
/** More open requests of a server are refused. */
const maxOpenQuestions = 100;

export class DuplexCaller implements UpstreamCaller {
  /** For the SDK's client, which starts and closes the connection. */
  readonly transport: Transport;
  readonly #link: MessageLink;
  readonly #events: CallerEvents;
  readonly #pending = new InFlightMap<unknown, PendingRequest>();
  readonly #openQuestions = new Set<unknown>();
  readonly #discoveryIds = new Set<unknown>();
  #nextId = firstId;

  constructor(link: MessageLink, events: CallerEvents) {
    this.#link = link;
    this.#events = events;
    this.transport = this.#createTransport();
  }

  send(request: UpstreamRpcRequest, deadline: RequestDeadline): Promise<Record<string, unknown>> {
    this.#nextId += 1;
    const id = this.#nextId;
    const { signal } = deadline;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        const { reason } = signal;
        settle({ status: 'rejected', reason });
        this.#notifyCancelled(id, reason);
      };
      const settle: PendingRequest['settle'] = (outcome) => {
        if (!this.#pending.delete(id)) return;
        signal.removeEventListener('abort', onAbort);
        if (outcome.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome.reason);
      };
      this.#pending.set(id, { request, deadline, messages: new ServerMessages(), settle });
      if (signal.aborted) return settle({ status: 'rejected', reason: signal.reason });
      signal.addEventListener('abort', onAbort, { once: true });
      const message = createRequestMessage(id, request, this.#events.client);
      this.#link.send(stringifyRequest(message), (reason) => settle({ status: 'rejected', reason }));
    });
  }

  close(): void {
    this.#rejectAll(new Error('the connection was closed'));
  }

  #rejectAll(reason: Error): void {
    for (const { settle } of this.#pending.values()) settle({ status: 'rejected', reason });
  }

  #notifyCancelled(requestId: number, reason: unknown): void {
    const params = { requestId, reason: reason instanceof Error ? reason.message : 'cancelled' };
    this.#link.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }), () => {});
  }

  /** Text that is not a message is ignored: programs print other things too. */
  #onMessage(text: string): Promise<void> | undefined {
    const large = readLargeMessage(text, this.#isSentOn());
    if (large) return this.#onLargeMessage(large).catch(() => {});
    const message = tryParseJson(text);
    if (!isRpcMessage(message)) return undefined;
    const { id, method } = message;
    if (typeof method === 'string') this.#onServerMessage(method, message, text);
    else this.#onResponse(id, message, text);
    return undefined;
  }

  /** True if no list is awaited: whose response a message is, is known when it was parsed. */
  #isSentOn(): boolean {
    for (const { request } of this.#pending.values()) if (isListMethod(request.method)) return false;
    return this.#pending.size > 0;
  }

  async #onLargeMessage(reading: Promise<LargeJson>): Promise<void> {
    const large = await reading;
    const { value: message, source } = large;
    if (!isRpcMessage(message)) return;
    const { id, method } = message;
    if (typeof method === 'string') this.#onServerMessage(method, message, source.text);
    else await this.#onLargeResponse(id, message, large);
  }

  #onServerMessage(method: string, message: Record<string, unknown>, text: string): void {
    const { id } = message;
    if (id === undefined) this.#onNotification(method, message, text);
    else if (typeof id === 'string' || typeof id === 'number')
      void this.#answer(id, method, readExactParams(message, text));
  }

  #onResponse(id: unknown, message: Record<string, unknown>, text: string): void {
    const pending = this.#pending.get(id);
    if (!pending) {
      this.#deliverToClient(message);
      return;
    }
    try {
      const value = extractResult(Number(id), pending.request, text, message);
      pending.settle({ status: 'fulfilled', value });
    } catch (reason) {
      pending.settle({ status: 'rejected', reason });
    }
  }

  async #onLargeResponse(id: unknown, message: Record<string, unknown>, large: LargeJson): Promise<void> {
    const pending = this.#pending.get(id);
    if (!pending) {
      this.#deliverToClient(message);
      return;
    }
    const [outcome] = await Promise.allSettled([extractLargeResult(Number(id), pending.request, large)]);
    pending.settle(outcome);
  }

  #onNotification(method: string, message: Record<string, unknown>, text: string): void {
    const params = toObjectOrEmpty(message.params);
    if (method === 'notifications/progress') {
      const { progressToken } = params;
      const { progressToken: _token, ...progress } = readExactParams(message, text);
      const pending = this.#pending.get(progressToken);
      if (!pending) return;
      if (!this.#count(Number(progressToken), pending)) return;
      pending.deadline.touch();
      pending.request.call.onProgress?.(progress);
    } else if (method === 'notifications/message')
      this.#events.onNotification({ method, params: readExactParams(message, text) });
    else {
      if (method === 'notifications/cancelled') this.#openQuestions.delete(params.requestId);
      this.#deliverToClient(message);
    }
  }

  /** False if the request has ended, because its server sent too much. */
  #count(id: number, { messages, settle }: PendingRequest): boolean {
    try {
      messages.count();
      return true;
    } catch (reason) {
      settle({ status: 'rejected', reason });
      this.#notifyCancelled(id, reason);
      return false;
    }
  }

  async #answer(id: string | number, method: string, params: Record<string, unknown>): Promise<void> {
    if (this.#openQuestions.size >= maxOpenQuestions) return;
    this.#openQuestions.add(id);
    const answer = await answerQuestion(method, params, (question) => this.#events.onQuestion(question));
    // A server that cancelled its request expects no response.
    if (this.#openQuestions.delete(id)) this.#link.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }), () => {});
  }

  #deliverToClient(received: Record<string, unknown>): void {
    const completed = this.#discoveryIds.delete(received.id) ? addResultType(received) : undefined;
    if (completed) this.#events.onMissingType();
    const message = completed ?? received;
    if (isSpecType.JSONRPCMessage(message)) this.transport.onmessage?.(message);
  }

  #onClose(reason: Error): void {
    this.#rejectAll(reason);
    this.transport.onclose?.();
  }

  #createTransport(): Transport {
    const link = this.#link;
    const transport: Transport = {
      start: () =>
        link.open({ onMessage: (text) => this.#onMessage(text), onClose: (reason) => this.#onClose(reason) }),
      send: (message) =>
        new Promise((resolve, reject) => {
          if ('method' in message && 'id' in message && message.method === discoverMethod)
            this.#discoveryIds.add(message.id);
          link.send(JSON.stringify(message), reject, resolve);
        }),
      close: () => link.close(),
      setProtocolVersion: (revision) => link.setRevision?.(revision),
    };
    // The client recognizes a program by these members: one that does not know a request may be silent or exit.
    return link.isProgram ? Object.assign(transport, { stderr: null, pid: null }) : transport;
  }
}

function isRpcMessage(message: unknown): message is Record<string, unknown> {
  return isObject(message) && message.jsonrpc === '2.0';
}
