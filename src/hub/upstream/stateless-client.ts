/**
 * Posts a single request of the newest era without a client: servers keep no state between requests, so only one
 * response has to be awaited, and the client's handlers and timers cost more than the rest of the call.
 */

import {
  CLIENT_INFO_META_KEY,
  type Implementation,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { isObject } from '../../json/json-object.ts';
import type { UpstreamResponse } from '../../outbound/upstream-response-reader.ts';
import { readEvents } from '../../streams/event-reader.ts';
import type { UpstreamCallOptions } from './upstream-call.ts';

/** Posts a JSON-RPC message with the connection's credential. */
export type JsonRpcPost = (
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<UpstreamResponse>;

export type StatelessRequest = {
  readonly method: string;
  /** Includes the caller's `_meta`. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly revision: string;
};

export type InFlightRequest = { readonly signal: AbortSignal; abort(reason: Error): void };

type ServerNotification = { readonly method: string; readonly params: Record<string, unknown> };

const headerSafeName = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** True if the caller wants no notifications and the name is valid in a header. */
export function canSendStateless(
  method: string,
  { name }: Readonly<Record<string, unknown>>,
  call: UpstreamCallOptions,
): boolean {
  if (method !== 'tools/call' || call.onProgress !== undefined || call.logLevel !== undefined) return false;
  return typeof name === 'string' && headerSafeName.test(name) && !name.startsWith('=?');
}

/** Closed together with the client of the server. */
export class StatelessClient {
  readonly #post: JsonRpcPost;
  readonly #client: Implementation;
  readonly #onNotification: (notification: ServerNotification) => void;
  readonly #inFlight = new Set<InFlightRequest>();

  /** `onNotification` gets messages that precede a response on its stream. */
  constructor(post: JsonRpcPost, client: Implementation, onNotification: (notification: ServerNotification) => void) {
    this.#post = post;
    this.#client = client;
    this.#onNotification = onNotification;
  }

  /** Throws what the official client throws: the server's error, an HTTP error, or an invalid response. */
  async send(call: StatelessRequest, request: InFlightRequest): Promise<Record<string, unknown>> {
    this.#inFlight.add(request);
    try {
      return await this.#exchange(call, request.signal);
    } finally {
      this.#inFlight.delete(request);
    }
  }

  close(): void {
    for (const request of this.#inFlight) request.abort(new Error('the connection was closed'));
  }

  async #exchange(call: StatelessRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { method, params, revision, headers } = call;
    const meta = { [PROTOCOL_VERSION_META_KEY]: revision, [CLIENT_INFO_META_KEY]: this.#client };
    const message = {
      jsonrpc: '2.0',
      id: requestId,
      method,
      params: { ...params, _meta: { ...toObject(params._meta), ...meta } },
    };
    const requestHeaders = {
      ...fixedHeaders,
      'mcp-protocol-version': revision,
      'mcp-method': method,
      'mcp-name': String(params.name),
    };
    const response = await this.#post(
      JSON.stringify(message),
      headers ? { ...headers, ...requestHeaders } : requestHeaders,
      signal,
    );
    const { status, headers: responseHeaders, body } = response;
    if (status < 200 || status > 299) return throwHttpError(response);
    if (typeof body === 'object' && body !== null) return this.#readEventStream(body, method);
    if (body !== null && responseHeaders['content-type']?.startsWith('application/json'))
      return extractResult(JSON.parse(body), method);
    throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'the response is neither JSON nor an event stream');
  }

  async #readEventStream(events: ReadableStream<Uint8Array>, method: string): Promise<Record<string, unknown>> {
    for await (const { data } of readEvents(events)) {
      const message: unknown = JSON.parse(data);
      if (!isObject(message)) continue;
      if (typeof message.method === 'string')
        this.#onNotification({ method: message.method, params: toObject(message.params) });
      else if (message.id === requestId) return extractResult(message, method);
    }
    throw new Error('the stream ended without a response');
  }
}

/** Each request has its own exchange with one response, so all can use the same id. */
const requestId = 1;
const fixedHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function toObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function invalidResultError(problem: string): SdkError {
  return new SdkError(SdkErrorCode.InvalidResult, problem);
}

/** Servers of this era reject invalid requests with status 400 and a JSON-RPC error. */
async function throwHttpError(response: UpstreamResponse): Promise<never> {
  const { status, body } = response;
  await discardBody(response);
  const text = typeof body === 'string' ? body : '';
  if (status === 400) throwProtocolError(tryParseJson(text));
  const errorData = { status, statusText: '', text };
  throw new SdkHttpError(
    SdkErrorCode.ClientHttpNotImplemented,
    `the server responded with status ${status}`,
    errorData,
  );
}

/** Cancels a body that is not read. */
export async function discardBody({ body }: UpstreamResponse): Promise<void> {
  if (typeof body === 'object') await body?.cancel();
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function throwProtocolError(message: unknown): void {
  if (!isObject(message) || message.jsonrpc !== '2.0' || message.id !== requestId || !isObject(message.error)) return;
  const { code, message: errorMessage, data } = message.error;
  if (!Number.isInteger(code) || typeof errorMessage !== 'string') return;
  throw ProtocolError.fromError(Number(code), errorMessage, data);
}

function extractResult(message: unknown, method: string): Record<string, unknown> {
  throwProtocolError(message);
  if (!isObject(message) || message.jsonrpc !== '2.0' || message.id !== requestId || !isObject(message.result)) {
    throw invalidResultError(`no valid response to ${method}`);
  }
  const { resultType, ...result } = message.result;
  if (resultType === 'complete') return result;
  if (resultType !== 'input_required')
    throw new SdkError(SdkErrorCode.UnsupportedResultType, 'unsupported result type');
  const { inputRequests, requestState } = result;
  const hasRequests = Object.keys(toObject(inputRequests)).length > 0 || typeof requestState === 'string';
  if (hasRequests) return { resultType, ...result };
  throw invalidResultError('the input request is empty');
}
