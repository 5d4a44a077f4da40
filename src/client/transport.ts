/**
 * One call to the control plane: address, credential, time limit, and what becomes of failures. Uses `fetch` as it is
 * given, so that it works in a browser, through a proxy and over a unix socket.
 */
import { vpError } from '../errors/vp-error.ts';
import { parsedJson, unexpected } from './answer.ts';
import { networkProblem } from './network-problem.ts';
import { thrownOf } from './problem.ts';

/** What is used of a response of `fetch`. */
export type Answer = {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): BodyReader } | null;
  text(): Promise<string>;
};

/** Reads a body piece by piece. */
export type BodyReader = {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
};

/** What is used of `fetch`; the global one, undici's and a browser's all fit. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly signal: AbortSignal;
    /** A credential must not follow to another address. */
    readonly redirect: 'manual';
  },
) => Promise<Answer>;

/** Where the control plane is and who asks. */
export type TransportOptions = {
  /** May have a path; a slash at its end does not matter. */
  readonly baseUrl: string;
  /** Bearer credential, or what gives the one that is good now; undefined sends none. */
  readonly token: string | (() => Promise<string>) | undefined;
  readonly fetch: Fetch;
};

/** One request; `path` is absolute and begins behind the base URL. */
export type Asked = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole call (of a stream: up to its first byte) may take this long. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** The answer is still read when the call is over, and ends with `signal` then too. */
  readonly outlives?: boolean;
};

/** Calls; each throws CONTROL_PLANE_*, what the control plane refused with, or the reason of an aborted signal. */
export type Transport = {
  readonly baseUrl: string;
  /** The JSON of an answer, whose top level `accepts` knows. */
  json<T>(asked: Asked, accepts: (value: unknown) => value is T): Promise<T>;
  /** The text of an answer of any type. */
  text(asked: Asked): Promise<string>;
  /** An answer without content. */
  nothing(asked: Asked): Promise<void>;
  /** The body, as it comes. */
  stream(asked: Asked): Promise<BodyReader>;
};

/** How long a call may take, unless it says otherwise. */
export const defaultLimitMs = 30_000;

/** Makes a transport; nothing is called yet. */
export function createTransport(options: TransportOptions): Transport {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const ask = async (asked: Asked, signal: AbortSignal): Promise<Answer> => {
    const token = typeof options.token === 'function' ? await options.token() : options.token;
    const answer = await options.fetch(`${baseUrl}${asked.path}${queryText(asked.query)}`, {
      method: asked.method,
      headers: headersOf(asked, token),
      ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
      signal,
      redirect: 'manual',
    });
    if (!answer.ok) throw await thrownOf(answer, baseUrl);
    return answer;
  };
  const call = <T>(asked: Asked, read: (answer: Answer) => Promise<T>): Promise<T> =>
    limited(baseUrl, asked, async (signal) => read(await ask(asked, signal)));
  return {
    baseUrl,
    json: (asked, accepts) => call(asked, async (answer) => jsonOf(await answer.text(), answer, accepts, baseUrl)),
    text: (asked) => call(asked, (answer) => answer.text()),
    nothing: (asked) => call(asked, async (answer) => void (await answer.text())),
    stream: (asked) => call({ ...asked, outlives: true }, async (answer) => readerOf(answer, baseUrl)),
  };
}

function queryText(query: Asked['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const all = typeof value === 'object' ? value : [value];
    return all.flatMap((one) => (one === undefined ? [] : [[name, String(one)]]));
  });
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function headersOf({ body, headers }: Asked, token: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  };
}

function jsonOf<T>(text: string, answer: Answer, accepts: (value: unknown) => value is T, url: string): T {
  const value = parsedJson(text);
  if (accepts(value)) return value;
  throw unexpected(url, value === undefined ? 'it is no JSON' : `status ${answer.status} with another content`);
}

function readerOf({ body }: Answer, url: string): BodyReader {
  if (body) return body.getReader();
  throw unexpected(url, 'it has no body');
}

/** Runs `work` with a signal that ends with the caller's and after the limit; failures of the network get words. */
async function limited<T>(url: string, asked: Asked, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, limitMs = defaultLimitMs, outlives = false } = asked;
  signal?.throwIfAborted();
  const ended = new AbortController();
  const leave = (): void => ended.abort(signal?.reason);
  const problem = `no answer within ${limitMs / 1000} s`;
  const timer = setTimeout(() => ended.abort(vpError('CONTROL_PLANE_UNREACHABLE', { url, problem })), limitMs);
  signal?.addEventListener('abort', leave);
  try {
    return await work(ended.signal);
  } catch (error) {
    if (ended.signal.aborted) throw ended.signal.reason;
    throw networkProblem(error, url);
  } finally {
    clearTimeout(timer);
    if (!outlives) signal?.removeEventListener('abort', leave);
  }
}
