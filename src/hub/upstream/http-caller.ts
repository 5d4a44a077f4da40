/**
 * Sends single requests over Streamable HTTP, of every era, without the SDK's client: only one response has to be awaited,
 * and the client's handlers and timers cost more than the rest of the call. What precedes the response on its stream
 * belongs to the call: progress, log messages, and in older eras questions, which are answered with requests of their own.
 *
 * Length: a request, its stream and its resumptions share one exchange.
 */

import { type Implementation, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { InFlightSet } from '../../collections/in-flight.ts';
import type { Clock } from '../../environment/clock.ts';
import { isObject, omitMembers } from '../../json/json-object.ts';
import { joinParts } from '../../json/json-parts.ts';
import type { LargeJson } from '../../json/large-json-reader.ts';
import { stringifyRequest } from '../../json/sent-json.ts';
import type { EventConsumer } from '../../outbound/event-stream-body.ts';
import type { UpstreamResponse } from '../../outbound/upstream-response-reader.ts';
import { encodeHeaderValue } from '../protocol/header-value.ts';
import { discardBody, throwHttpError } from './http-errors.ts';
import { splitJsonLines } from './json-lines.ts';
import { ResponseEvents } from './response-events.ts';
import { ServerMessages, ServerMessagesError } from './server-messages.ts';
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
  type UpstreamSession,
} from './upstream-request.ts';

/** Sends an HTTP request with the connection's credential. */
export type HttpSend = (request: {
  readonly method: 'POST' | 'GET';
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** A smaller limit for this response. */
  readonly maxBytes?: number | undefined;
  /** For an event stream as response. */
  readonly createConsumer?: () => EventConsumer;
}) => Promise<UpstreamResponse>;

/** State of one request; `lastEventId` is known if its stream can be resumed. */
type Exchange = UpstreamRpcRequest & {
  readonly id: number;
  readonly deadline: RequestDeadline;
  readonly messages: ServerMessages;
  lastEventId: string | undefined;
  retryMs: number;
};

const headerSafeText = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** The SDK's client counts its requests in the same session from 0. */
const firstId = 1_000_000_000;
const defaultRetryMs = 1000;
const maxRetryMs = 30_000;
const maxResumptions = 10;
const fixedHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const headerMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The member that a request of the newest era repeats in a header. */
function getHeaderName(method: string, params: Readonly<Record<string, unknown>>): string | undefined {
  const member = headerMembers[method];
  const value = member === undefined ? undefined : params[member];
  return typeof value === 'string' ? encodeHeaderValue(value) : undefined;
}

/** Closed together with the client of the server. */
export class HttpCaller implements UpstreamCaller {
  readonly #send: HttpSend;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #client: Implementation;
  readonly #onNotification: (notification: ServerNotification) => void;
  readonly #inFlight = new InFlightSet<RequestDeadline>();
  #nextId = firstId;

  /** `onNotification` gets notifications that concern more than the call. */
  constructor(
    send: HttpSend,
    clock: Pick<Clock, 'after'>,
    client: Implementation,
    onNotification: (notification: ServerNotification) => void,
  ) {
    this.#send = send;
    this.#clock = clock;
    this.#client = client;
    this.#onNotification = onNotification;
  }

  /** Throws what the official client throws: the server's error, an HTTP error, or an invalid response. */
  async send(request: UpstreamRpcRequest, deadline: RequestDeadline): Promise<Record<string, unknown>> {
    this.#nextId += 1;
    const exchange: Exchange = {
      ...request,
      // In the newest era each request has its own exchange with one response.
      id: request.session.isModern ? 1 : this.#nextId,
      deadline,
      messages: new ServerMessages(),
      lastEventId: undefined,
      retryMs: defaultRetryMs,
    };
    const { signal } = deadline;
    const onAbort = (): void => this.#cancel(exchange, signal.reason);
    const leave = this.#inFlight.add(deadline);
    if (!request.session.isModern) signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await this.#exchange(exchange);
    } catch (error) {
      if (error instanceof ServerMessagesError) this.#cancel(exchange, error);
      throw error;
    } finally {
      if (!request.session.isModern) signal.removeEventListener('abort', onAbort);
      leave();
    }
  }

  close(): void {
    for (const deadline of this.#inFlight) deadline.abort(new Error('the connection was closed'));
  }

  async #exchange(exchange: Exchange): Promise<Record<string, unknown>> {
    const { method, session, call, deadline } = exchange;
    const name = session.isModern ? getHeaderName(method, exchange.params) : undefined;
    const sessionHeaders = this.#sessionHeaders(session);
    const headers = call.headers ? { ...call.headers, ...sessionHeaders } : sessionHeaders;
    if (session.isModern) headers['mcp-method'] = method;
    if (name !== undefined) headers['mcp-name'] = name;
    const body = stringifyRequest(createRequestMessage(exchange.id, exchange, this.#client));
    const opened: { events?: ResponseEvents } = {};
    const response = await this.#send({
      method: 'POST',
      body,
      headers,
      signal: deadline.signal,
      maxBytes: call.maxResponseBytes,
      createConsumer: () => (opened.events = this.#createEvents(exchange)),
    });
    const { status, headers: responseHeaders, body: responseBody } = response;
    if (status < 200 || status > 299) return throwHttpError(response, session.isModern ? exchange.id : undefined);
    if (opened.events) return this.#readResumableStream(exchange, opened.events);
    const isWhole = typeof responseBody === 'string' || responseBody instanceof Uint8Array;
    if (isWhole && responseHeaders['content-type']?.startsWith('application/json')) {
      const large = readLargeMessage(responseBody, !isListMethod(method));
      if (large) return await extractLargeResult(exchange.id, exchange, await large);
      return this.#readJson(exchange, joinParts([responseBody]));
    }
    throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'the response is neither JSON nor an event stream');
  }

  #sessionHeaders({ revision, sessionId }: UpstreamSession): Record<string, string> {
    const { 'content-type': type, accept } = fixedHeaders;
    const headers: Record<string, string> = { 'content-type': type, accept, 'mcp-protocol-version': revision };
    if (sessionId !== undefined) headers['mcp-session-id'] = sessionId;
    return headers;
  }

  /** Waits for the response. A stream that ended early is resumed if its events had ids; the server then works on. */
  async #readResumableStream(exchange: Exchange, firstEvents: ResponseEvents): Promise<Record<string, unknown>> {
    let events = firstEvents;
    for (let resumption = 0; ; resumption += 1) {
      const result = await events.result;
      if (result) return result;
      const { lastEventId, deadline, retryMs, session, call } = exchange;
      if (lastEventId === undefined || resumption === maxResumptions)
        throw new Error('the stream ended without a response');
      await new Promise<void>((resolve) => this.#clock.after(Math.min(retryMs, maxRetryMs), resolve));
      deadline.signal.throwIfAborted();
      const headers = {
        ...this.#sessionHeaders(session),
        accept: 'text/event-stream',
        'last-event-id': lastEventId,
      };
      const opened: { events?: ResponseEvents } = {};
      const response = await this.#send({
        method: 'GET',
        headers,
        signal: deadline.signal,
        maxBytes: call.maxResponseBytes,
        createConsumer: () => (opened.events = this.#createEvents(exchange)),
      });
      if (response.status !== 200) return throwHttpError(response, undefined);
      if (!opened.events)
        throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'the resumed response is not an event stream');
      events = opened.events;
    }
  }

  #createEvents(exchange: Exchange): ResponseEvents {
    return new ResponseEvents({
      onEvent: ({ data, id }) => {
        if (id !== undefined && headerSafeText.test(id)) exchange.lastEventId = id;
        if (data === '') return undefined;
        const large = readLargeMessage(data, !isListMethod(exchange.method));
        return large ? this.#onLargeMessage(exchange, large) : this.#onMessage(exchange, data);
      },
      onRetry: (ms) => {
        exchange.retryMs = ms;
      },
      isResumable: () => exchange.lastEventId !== undefined && !exchange.deadline.signal.aborted,
      isAborted: () => exchange.deadline.signal.aborted,
    });
  }

  #readJson(exchange: Exchange, text: string): Record<string, unknown> {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      const results = splitJsonLines(text)?.map((line) => this.#onMessage(exchange, line));
      const result = results?.find((found) => found !== undefined);
      if (result) return result;
      throw error;
    }
    return extractResult(exchange.id, exchange, text, message);
  }

  /** One of the messages that the server sends in response; returns the result if it is the last one. */
  #onMessage(exchange: Exchange, text: string): Record<string, unknown> | undefined {
    const message: unknown = JSON.parse(text);
    if (!isObject(message)) return undefined;
    exchange.messages.count();
    if (typeof message.method === 'string') this.#onServerMessage(exchange, message.method, message, text);
    else if (message.id === exchange.id) return extractResult(exchange.id, exchange, text, message);
    return undefined;
  }

  /** The same for a large message, which is parsed in steps. */
  async #onLargeMessage(exchange: Exchange, reading: Promise<LargeJson>): Promise<Record<string, unknown> | undefined> {
    const large = await reading;
    const message = large.value;
    if (!isObject(message)) return undefined;
    exchange.messages.count();
    if (typeof message.method === 'string') this.#onServerMessage(exchange, message.method, message, large.source.text);
    else if (message.id === exchange.id) return extractLargeResult(exchange.id, exchange, large);
    return undefined;
  }

  #onServerMessage(exchange: Exchange, method: string, message: Record<string, unknown>, text: string): void {
    const { id, call, deadline, session } = exchange;
    const params = readExactParams(message, text);
    const { id: questionId } = message;
    if (typeof questionId === 'string' || typeof questionId === 'number') {
      if (session.isModern) return;
      const close = exchange.messages.openQuestion();
      void this.#answer(exchange, questionId, method, params).then(close);
    } else if (method === 'notifications/progress') {
      if (toObjectOrEmpty(message.params).progressToken !== id) return;
      deadline.touch();
      call.onProgress?.(omitMembers(params, tokenName));
    } else if (method === 'notifications/message') call.onLog?.(params);
    else this.#onNotification({ method, params: toObjectOrEmpty(message.params) });
  }

  /** Answers a request of the server. The server notices a lost answer by its own timeout. */
  async #answer(
    { session, call }: Exchange,
    id: string | number,
    method: string,
    params: Record<string, unknown>,
  ): Promise<void> {
    const answer = await answerQuestion(method, params, call.askCaller);
    await this.#post(session, { jsonrpc: '2.0', id, ...answer });
  }

  /** In the newest era the end of the request is its cancellation. */
  #cancel({ id, session }: Exchange, reason: unknown): void {
    if (session.isModern) return;
    const params = { requestId: id, reason: reason instanceof Error ? reason.message : 'cancelled' };
    void this.#post(session, { jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }

  async #post(session: UpstreamSession, message: Record<string, unknown>): Promise<void> {
    const signal = AbortSignal.timeout(postTimeoutMs);
    const headers = this.#sessionHeaders(session);
    await this.#send({ method: 'POST', body: JSON.stringify(message), headers, signal })
      .then(discardBody)
      .catch(() => {});
  }
}

const postTimeoutMs = 10_000;
/** Ours, in place of the caller's. */
const tokenName: ReadonlySet<string> = new Set(['progressToken']);
