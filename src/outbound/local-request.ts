/**
 * A request over plain HTTP to this machine, by `node:http`: what a command does once or twice. The runtime's `fetch` is loaded when
 * it is used first, which takes half of the processor time of a command that asks the control plane for a list.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { constants, createBrotliDecompress, createUnzip } from 'node:zlib';
import { type BodySource, decodeText, readBytesWithin } from './bounded-body.ts';

export type LocalRequest = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
};

export type LocalResponse = {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: BodySource;
  /** Rejects with ERR_RESPONSE_TOO_LARGE where the text is larger than the limit. */
  text(): Promise<string>;
};

/** Not Node's global one, which NODE_USE_ENV_PROXY sends through a proxy. */
const agent = new Agent({ keepAlive: true, timeout: 5000 });

/** Redirects are not followed. Rejects as `fetch` does: with the reason of `signal`, or a TypeError whose cause is that of the connection. */
export async function requestLocal(url: string, options: LocalRequest, maxBytes: number): Promise<LocalResponse> {
  const { signal } = options;
  try {
    return toResponse(await send(url, options), maxBytes, signal);
  } catch (error) {
    throw toFetchError(error, signal, 'fetch failed');
  }
}

function toFetchError(error: unknown, signal: AbortSignal, message: string): unknown {
  return signal.aborted ? signal.reason : new TypeError(message, { cause: error });
}

function send(url: string, { method, headers, body, signal }: LocalRequest): Promise<IncomingMessage> {
  // Without its length, the body of a DELETE would be sent as the beginning of another request.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const sent = request(url, { agent, method, headers: { ...headers, ...length }, signal });
    // Also after the response: what comes then is an error of the body.
    sent.on('error', (error: NodeJS.ErrnoException) => reject(sent.reusedSocket ? toReuseError(error) : error));
    sent.once('response', resolve);
    // A response that switches protocols ends the request without any other event.
    sent.once('close', () => reject(createClosedError('the connection ended without a response')));
    sent.end(body);
  });
}

function createClosedError(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

/** `socket hang up` on a new connection may be that of a port that speaks TLS; an old one has spoken HTTP. */
function toReuseError(error: NodeJS.ErrnoException): Error {
  return error.message === 'socket hang up' ? createClosedError('a connection in use has ended') : error;
}

function toResponse(message: IncomingMessage, maxBytes: number, signal: AbortSignal): LocalResponse {
  const { statusCode: status = 0, headers } = message;
  const body: BodySource = { getReader: () => createReader(message, signal) };
  return {
    ...{ ok: status >= 200 && status < 300, status, body },
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    text: async () => decodeText(await readBytesWithin(body, maxBytes)),
  };
}

/** Nothing asks for an encoding here, but a proxy in front may encode all the same. */
function decode(message: IncomingMessage): Readable {
  const encoding = message.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (!/^(x-)?gzip$|^deflate$|^br$/.test(encoding)) return message;
  const decoder =
    encoding === 'br'
      ? createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
      : createUnzip({ finishFlush: constants.Z_SYNC_FLUSH });
  if (message.errored) decoder.destroy(message.errored);
  message.once('error', (error) => decoder.destroy(error));
  decoder.once('close', () => message.destroy());
  // The reader gets it, though it may begin later.
  decoder.on('error', () => undefined);
  return message.pipe(decoder);
}

function createReader(message: IncomingMessage, signal: AbortSignal): ReturnType<BodySource['getReader']> {
  const stream = decode(message);
  const chunks: AsyncIterator<Buffer, undefined> = stream[Symbol.asyncIterator]();
  let isCancelled = false;
  return {
    async read() {
      try {
        const { done = false, value } = await chunks.next();
        return { done, value };
      } catch (error) {
        if (isCancelled) return { done: true };
        throw toFetchError(error, signal, 'terminated');
      }
    },
    async cancel() {
      isCancelled = true;
      stream.destroy();
    },
  };
}
