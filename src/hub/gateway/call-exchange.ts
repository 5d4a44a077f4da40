/**
 * The response to one call: plain JSON, or an event stream as soon as a message precedes the result. Clients of every
 * revision accept both. In a session a client that lost its stream can resume it, and gets the result there.
 */

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { InFlightMap } from '../../collections/in-flight.ts';
import { isObject } from '../../json/json-object.ts';
import { type JsonParts, joinParts } from '../../json/json-parts.ts';
import { JsonReply, type McpReply } from '../downstream/mcp-http.ts';
import { ResponseStream } from '../downstream/response-stream.ts';
import type { SessionStreams } from '../downstream/session-streams.ts';

type RpcId = string | number;

/** Notifications to a reader that is as far behind are dropped; results and questions never are. */
const maxUnreadBytes = 1_000_000;

/** Where the response of a session's call is retained; `onBroken` is called when the client has lost its connection. */
type ResumableResponses = { readonly streams: Pick<SessionStreams, 'open'>; onBroken(): void };

export class CallExchange {
  readonly id: RpcId;
  readonly #controller = new AbortController();
  readonly #response = Promise.withResolvers<McpReply>();
  readonly #resumable: ResumableResponses | undefined;
  #stream: ResponseStream | undefined;
  #isEnded = false;

  /** Without `resumable`, a stream that breaks is lost. */
  constructor(id: RpcId, resumable?: ResumableResponses) {
    this.id = id;
    this.#resumable = resumable;
  }

  /** Aborted when the caller cancels, leaves or its session ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get response(): Promise<McpReply> {
    return this.#response.promise;
  }

  /** False after the end, and while the client has no connection. */
  get isReachable(): boolean {
    return !this.#isEnded && this.#stream?.isConnected !== false;
  }

  /** True if the caller has come back on another connection than that of its request. */
  get isResumed(): boolean {
    return this.#stream?.isResumed === true;
  }

  notify(method: string, params: Record<string, unknown>): void {
    if (this.#isEnded || (this.#stream?.unreadBytes ?? 0) > maxUnreadBytes) return;
    this.#write(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Sends a request of the server; the answer arrives with another request of the client. */
  ask(id: RpcId, method: string, params: Record<string, unknown>): void {
    if (this.#isEnded) return;
    this.#write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    this.#stream?.flush();
  }

  /** Sends the response as JSON text, on the stream if there is one; otherwise with `status`. */
  end(json: string | JsonParts, status = 200): void {
    if (this.#isEnded) return;
    if (this.#stream) this.#close(typeof json === 'string' ? json : joinParts(json));
    else {
      this.#response.resolve(new JsonReply(json, status));
      this.#isEnded = true;
    }
  }

  /** The caller has left, which does not cancel its call, as in older eras: it may come back for the stream. */
  leave(): void {
    if (this.#stream?.isResumable) this.#stream.disconnect();
    else this.#isEnded = true;
  }

  /** Ends without a response, as the caller does not wait for one; `response` is for a caller that comes back nevertheless. */
  abort(reason: Error, response?: string): void {
    if (this.#isEnded) return;
    this.#openStream();
    this.#close(response);
    this.#controller.abort(reason);
  }

  /** Tells a caller that waits in a session that its connection works, and where to continue if it breaks. */
  keepAlive(): void {
    if (!this.#isEnded && this.#resumable) this.#openStream().sendHeartbeat();
  }

  #write(json: string): void {
    this.#openStream().send(json);
  }

  #openStream(): ResponseStream {
    if (this.#stream) return this.#stream;
    const onBroken = (): void => {
      this.#isEnded = true;
    };
    this.#stream = this.#resumable
      ? this.#resumable.streams.open(this.#resumable.onBroken)
      : new ResponseStream(undefined, onBroken);
    this.#response.resolve(this.#stream.reply);
    return this.#stream;
  }

  #close(response?: string): void {
    this.#isEnded = true;
    this.#stream?.complete(response);
  }
}

type OpenQuestion = {
  /** Undefined for a question that belongs to no call. */
  readonly callId: RpcId | undefined;
  readonly answer: PromiseWithResolvers<Record<string, unknown>>;
};

/** The calls of one session that are in flight, and the questions of their servers. */
export class SessionCalls {
  readonly #calls = new InFlightMap<RpcId, CallExchange>();
  readonly #questions = new Map<RpcId, OpenQuestion>();
  #questionCount = 0;

  /** False if the id is in use: responses could not be assigned to one of the two. */
  add(exchange: CallExchange): boolean {
    if (this.#calls.has(exchange.id)) return false;
    this.#calls.set(exchange.id, exchange);
    return true;
  }

  remove(exchange: CallExchange): void {
    this.#calls.delete(exchange.id);
    this.rejectQuestions(exchange);
  }

  /** Returns true if there were open ones. */
  rejectQuestions({ id }: CallExchange): boolean {
    return this.#rejectQuestions((callId) => callId === id);
  }

  #rejectQuestions(matches: (callId: RpcId | undefined) => boolean): boolean {
    const openCount = this.#questions.size;
    for (const [questionId, { callId, answer }] of this.#questions) {
      if (!matches(callId)) continue;
      this.#questions.delete(questionId);
      answer.reject(new ProtocolError(ProtocolErrorCode.InternalError, 'the caller has left'));
    }
    return this.#questions.size < openCount;
  }

  /** Asks the client during a call. Rejects with the client's error, and when the call ends. */
  ask(exchange: CallExchange, method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (!exchange.isReachable)
      return Promise.reject(new ProtocolError(ProtocolErrorCode.InternalError, 'the caller has left'));
    return this.#open(exchange.id, (questionId) => exchange.ask(questionId, method, params));
  }

  /** Asks the client apart from its calls; `send` gets the id of the question. Rejects with the client's error, and when the session ends. */
  askApart(send: (questionId: string) => void): Promise<Record<string, unknown>> {
    return this.#open(undefined, send);
  }

  #open(callId: RpcId | undefined, send: (questionId: string) => void): Promise<Record<string, unknown>> {
    this.#questionCount += 1;
    const questionId = `vph-${this.#questionCount}`;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    this.#questions.set(questionId, { callId, answer });
    send(questionId);
    return answer.promise;
  }

  /** True if all of the message is for the calls here: answers to their questions, or the cancellation of one. */
  handle(body: unknown): boolean {
    const messages = Array.isArray(body) ? body : [body];
    const handlers = messages.map((message) => this.#findHandler(message));
    if (handlers.length === 0 || handlers.includes(undefined)) return false;
    for (const handler of handlers) handler?.();
    return true;
  }

  keepAlive(): void {
    for (const exchange of this.#calls.values()) exchange.keepAlive();
  }

  endAll(reason: Error): void {
    for (const exchange of this.#calls.values()) {
      this.remove(exchange);
      exchange.abort(reason);
    }
    this.#rejectQuestions(() => true);
  }

  #findHandler(message: unknown): (() => void) | undefined {
    if (!isObject(message)) return undefined;
    if (message.method === 'notifications/cancelled' && isObject(message.params)) {
      const { requestId } = message.params;
      const exchange = isRpcId(requestId) ? this.#calls.get(requestId) : undefined;
      return exchange && (() => this.#cancel(exchange));
    }
    const question = message.method === undefined && isRpcId(message.id) ? this.#questions.get(message.id) : undefined;
    const { id } = message;
    if (!question || !isRpcId(id)) return undefined;
    return () => {
      this.#questions.delete(id);
      settle(question, message);
    };
  }

  #cancel(exchange: CallExchange): void {
    exchange.abort(new Error('the caller cancelled the call'));
    this.remove(exchange);
  }
}

function isRpcId(value: unknown): value is RpcId {
  return typeof value === 'string' || typeof value === 'number';
}

function settle({ answer }: OpenQuestion, { result, error }: Record<string, unknown>): void {
  if (isObject(result)) {
    answer.resolve(result);
    return;
  }
  const { code, message, data } = isObject(error) ? error : {};
  const text = typeof message === 'string' ? message : 'the client sent no valid answer';
  answer.reject(new ProtocolError(typeof code === 'number' ? code : ProtocolErrorCode.InternalError, text, data));
}
