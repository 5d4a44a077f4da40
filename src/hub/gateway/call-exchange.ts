/**
 * The response to one call: plain JSON, or an event stream as soon as a message precedes the result. Clients of every
 * revision accept both.
 */

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isObject } from '../../json/json-object.ts';
import { JsonReply, type McpReply } from '../downstream/mcp-http.ts';

type RpcId = string | number;

const encoder = new TextEncoder();
/** Notifications to a reader that is as far behind are dropped; results and questions never are. */
const maxUnreadBytes = 1_000_000;

export class CallExchange {
  readonly id: RpcId;
  readonly #controller = new AbortController();
  readonly #response = Promise.withResolvers<McpReply>();
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isEnded = false;

  constructor(id: RpcId) {
    this.id = id;
  }

  /** Aborted when the caller cancels, leaves or its session ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get response(): Promise<McpReply> {
    return this.#response.promise;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  notify(method: string, params: Record<string, unknown>): void {
    if (this.#isEnded || (this.#stream?.desiredSize ?? 0) < -maxUnreadBytes) return;
    this.#write(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Sends a request of the server; the answer arrives with another request of the client. */
  ask(id: RpcId, method: string, params: Record<string, unknown>): void {
    if (!this.#isEnded) this.#write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  /** Sends the response as JSON text, on the stream if there is one; otherwise with `status`. */
  end(json: string, status = 200): void {
    if (this.#isEnded) return;
    if (this.#stream) this.#write(json);
    else this.#response.resolve(new JsonReply(json, status));
    this.#close();
  }

  /** The caller has left, which does not cancel its call, as in older eras; but nothing can be sent to it any more. */
  leave(): void {
    this.#isEnded = true;
  }

  /** Ends without a response: the caller does not wait for one. */
  abort(reason: Error): void {
    if (this.#isEnded) return;
    this.#openStream();
    this.#close();
    this.#controller.abort(reason);
  }

  #write(json: string): void {
    this.#openStream().enqueue(encoder.encode(`event: message\ndata: ${json}\n\n`));
  }

  #openStream(): ReadableStreamDefaultController<Uint8Array> {
    if (this.#stream) return this.#stream;
    let opened: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          opened = controller;
        },
        cancel: () => {
          this.#isEnded = true;
        },
      },
      { highWaterMark: 65_536, size: ({ byteLength }) => byteLength },
    );
    if (!opened) throw new TypeError('a stream starts at once');
    this.#stream = opened;
    const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };
    this.#response.resolve(new Response(body, { headers }));
    return opened;
  }

  #close(): void {
    this.#isEnded = true;
    this.#stream?.close();
  }
}

type OpenQuestion = {
  readonly callId: RpcId;
  readonly answer: PromiseWithResolvers<Record<string, unknown>>;
};

/** The calls of one session that are in flight, and the questions of their servers. */
export class SessionCalls {
  readonly #calls = new Map<RpcId, CallExchange>();
  readonly #questions = new Map<RpcId, OpenQuestion>();
  #questionCount = 0;

  /** False for an id that is in use: the two could not be told apart. */
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
    const openCount = this.#questions.size;
    for (const [questionId, { callId, answer }] of this.#questions) {
      if (callId !== id) continue;
      this.#questions.delete(questionId);
      answer.reject(new ProtocolError(ProtocolErrorCode.InternalError, 'the caller has left'));
    }
    return this.#questions.size < openCount;
  }

  /** Asks the client during a call. Rejects with the client's error, and when the call ends. */
  ask(exchange: CallExchange, method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (exchange.isEnded)
      return Promise.reject(new ProtocolError(ProtocolErrorCode.InternalError, 'the caller has left'));
    this.#questionCount += 1;
    const questionId = `vph-${this.#questionCount}`;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    this.#questions.set(questionId, { callId: exchange.id, answer });
    exchange.ask(questionId, method, params);
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

  endAll(reason: Error): void {
    for (const exchange of [...this.#calls.values()]) {
      this.remove(exchange);
      exchange.abort(reason);
    }
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
