/**
 * One call to the control plane: address, credential, timeout and errors. `fetch` is injected, so that it works in a
 * browser, through a proxy and over a unix socket.
 */

import { vpError } from '../../errors/vp-error.ts';
import { tryParseJson } from '../../json/json-object.ts';
import { withTimeout } from '../../timing/timeout.ts';
import type { BodyReader, FetchResponse } from './fetch-response.ts';
import { createUnexpectedResponseError } from './json-response.ts';
import { createNetworkError } from './network-error.ts';
import { runtimeTimers } from './pause.ts';
import { createResponseError } from './response-error.ts';

/** The subset of `fetch` that is used; the global one, undici's and a browser's all match. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly signal: AbortSignal;
    /** A credential must not be sent to another address. */
    readonly redirect: 'manual';
  },
) => Promise<FetchResponse>;

export type TransportOptions = {
  /** May have a path; a trailing slash is ignored. */
  readonly baseUrl: string;
  /** Bearer credential, or a function that returns the current one; undefined sends none. */
  readonly token: string | (() => Promise<string>) | undefined;
  readonly fetch: Fetch;
};

/** `path` is absolute and is appended to the base URL. */
export type TransportRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** A text is JSON already. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Limit for the whole call; for a stream, up to its first byte. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** The caller aborts `signal` when the time is over: a second limit would cost each call a timer. */
  readonly isLimitedByCaller?: boolean;
  /** The body is read after the call has returned, and `signal` must still abort it. */
  readonly isStreamed?: boolean;
};

/** Each call throws CONTROL_PLANE_*, the error of a refusal, or the reason of an aborted signal. */
export type Transport = {
  readonly baseUrl: string;
  /** The JSON of a response; `isExpected` checks its top level. */
  json<T>(request: TransportRequest, isExpected: (value: unknown) => value is T): Promise<T>;

  text(request: TransportRequest): Promise<string>;

  noContent(request: TransportRequest): Promise<void>;
  /** The body as it arrives. */
  stream(request: TransportRequest): Promise<BodyReader>;
};

export const defaultTimeoutMs = 30_000;

/** Does not connect yet. */
export function createTransport(options: TransportOptions): Transport {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const send = async (request: TransportRequest, signal: AbortSignal): Promise<FetchResponse> => {
    const token = typeof options.token === 'function' ? await options.token() : options.token;
    const response = await options.fetch(`${baseUrl}${request.path}${formatQuery(request.query)}`, {
      method: request.method,
      headers: buildHeaders(request, token),
      ...(request.body === undefined ? {} : { body: formatBody(request.body) }),
      signal,
      redirect: 'manual',
    });
    if (!response.ok) throw await createResponseError(response, baseUrl);
    return response;
  };
  const call = <T>(request: TransportRequest, read: (response: FetchResponse) => Promise<T>): Promise<T> =>
    runWithTimeout(baseUrl, request, async (signal) => read(await send(request, signal)));
  return {
    baseUrl,
    json: (request, isExpected) =>
      call(request, async (response) => parseJsonResponse(await response.text(), response, isExpected, baseUrl)),
    text: (request) => call(request, (response) => response.text()),
    noContent: (request) => call(request, async (response) => void (await response.text())),
    stream: (request) => call({ ...request, isStreamed: true }, async (response) => getBodyReader(response, baseUrl)),
  };
}

function formatBody(body: object | string): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function formatQuery(query: TransportRequest['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values = typeof value === 'object' ? value : [value];
    return values.flatMap((item) => (item === undefined ? [] : [[name, String(item)]]));
  });
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function buildHeaders({ body, headers }: TransportRequest, token: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  };
}

function parseJsonResponse<T>(
  text: string,
  response: FetchResponse,
  isExpected: (value: unknown) => value is T,
  url: string,
): T {
  const value = tryParseJson(text);
  if (isExpected(value)) return value;
  throw createUnexpectedResponseError(
    url,
    value === undefined ? 'the body is not JSON' : `status ${response.status} with unexpected content`,
  );
}

function getBodyReader({ body }: FetchResponse, url: string): BodyReader {
  if (body) return body.getReader();
  throw createUnexpectedResponseError(url, 'the response has no body');
}

/** Runs `work` with a signal that is aborted with the caller's and after the timeout; network failures become CONTROL_PLANE_UNREACHABLE. */
async function runWithTimeout<T>(
  url: string,
  request: TransportRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs = defaultTimeoutMs, isStreamed = false, isLimitedByCaller = false } = request;
  if (signal && isLimitedByCaller) return runUntilAborted(url, signal, work);
  const problem = `no response within ${timeoutMs / 1000} s`;
  const createError = () => vpError('CONTROL_PLANE_UNREACHABLE', { url, problem });
  const limits = { clock: runtimeTimers, timeoutMs, createError, ...(signal ? { signal } : {}) };
  return withTimeout(limits, (limitSignal) =>
    runUntilAborted(url, limitSignal, () =>
      work(isStreamed && signal ? AbortSignal.any([signal, limitSignal]) : limitSignal),
    ),
  );
}

async function runUntilAborted<T>(
  url: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await work(signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : createNetworkError(error, url);
  }
}
