/**
 * A request over plain HTTP to this machine, by `node:http`: what a command does once or twice. The runtime's `fetch` is loaded when
 * it is used first, which takes a third of the processor time of a command that asks the control plane for a list.
 */
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
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
    const sent = request(url, { method, headers: { ...headers, ...length }, signal });
    // Also after the response: what comes then is an error of the body.
    sent.on('error', reject);
    sent.once('response', resolve);
    sent.end(body);
  });
}

function toResponse(message: IncomingMessage, maxBytes: number, signal: AbortSignal): LocalResponse {
  const { statusCode: status = 0, headers } = message;
  const body: BodySource = { getReader: () => createReader(decode(message), signal) };
  return {
    ...{ ok: status >= 200 && status < 300, status, body },
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    text: async () => decodeText(await readBytesWithin(body, maxBytes)),
  };
}

/** Nothing asks for an encoding here, but a proxy in front may encode all the same. */
function decode(message: IncomingMessage): Readable {
  const encoding = message.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return message;
  const decoder = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  message.once('error', (error) => decoder.destroy(error));
  // The reader gets it, though it may begin later.
  decoder.on('error', () => undefined);
  return message.pipe(decoder);
}

function createReader(stream: Readable, signal: AbortSignal): ReturnType<BodySource['getReader']> {
  const chunks: AsyncIterator<Buffer, undefined> = stream[Symbol.asyncIterator]();
  return {
    async read() {
      try {
        const { done = false, value } = await chunks.next();
        return { done, value };
      } catch (error) {
        throw toFetchError(error, signal, 'terminated');
      }
    },
    async cancel() {
      stream.destroy();
    },
  };
}
