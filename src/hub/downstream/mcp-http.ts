/**
 * Requests and replies of MCP endpoints, without the web's objects where these are not needed: creating them costs more than
 * the rest of a call.
 */
import { countPartBytes, encodeParts, type JsonParts, joinParts } from '../../json/json-parts.ts';
import { minTrackedBytes, type Output } from '../access/unread-responses.ts';
import type { ListenerStream } from './listener-stream.ts';
import { SlicedBody } from './sliced-body.ts';

/** The headers of a request, names in any case. */
export type HeaderReader = Pick<Headers, 'get' | 'has'>;

/** A web request is one; so is one of node:http with the same members. */
export type McpRequest = Pick<Request, 'method' | 'url' | 'signal'> & {
  readonly headers: HeaderReader;
  /** As {@link onceCallerLeft}, where that costs less than the signal. */
  onceLeft?(listener: () => void): () => void;
};

/** The body of a request; without `body`, it is a whole one with a small declared size. */
export type UnreadBody = { readonly body?: AsyncIterable<Uint8Array> | null } & (
  | (Pick<Request, 'arrayBuffer'> & { readonly readBytes?: undefined; readonly arrivedBytes?: undefined })
  | { readBytes(): Promise<Uint8Array>; readonly arrivedBytes?: Uint8Array | undefined }
);

export type UnreadMcpRequest = McpRequest & UnreadBody;

/** Calls `listener` once the caller has disconnected before the end of the response; returns a function that stops it. */
export function onceCallerLeft(request: Pick<McpRequest, 'signal' | 'onceLeft'>, listener: () => void): () => void {
  if (request.onceLeft) return request.onceLeft(listener);
  const { signal } = request;
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Called with a response when its client has not read much of it. */
export type UnreadListener = (output: Output) => void;

/** A response with JSON text. */
export class JsonReply {
  onUnread: UnreadListener | undefined;
  readonly parts: JsonParts;
  readonly status: number;

  constructor(json: string | JsonParts, status = 200) {
    this.parts = typeof json === 'string' ? [json] : json;
    this.status = status;
  }

  get json(): string {
    return joinParts(this.parts);
  }

  /** In characters, or bytes: about the size. */
  get length(): number {
    return this.parts.reduce((sum, { length }) => sum + length, 0);
  }

  /** In UTF-8. */
  get byteLength(): number {
    return countPartBytes(this.parts);
  }

  /** In UTF-8. */
  encode(): readonly Uint8Array[] {
    return encodeParts(this.parts);
  }
}

/** An event stream: of a call until its response, or of a client that listens until it leaves. */
export class StreamReply {
  onUnread: UnreadListener | undefined;
  readonly stream: ListenerStream;
  readonly status = 200;

  constructor(stream: ListenerStream) {
    this.stream = stream;
  }
}

export type McpReply = Response | JsonReply | StreamReply;

export const jsonMediaType = 'application/json';

export function toWebResponse(reply: McpReply): Response {
  if (reply instanceof Response) return reply;
  if (reply instanceof StreamReply) return reply.stream.response;
  const { status, json, onUnread } = reply;
  const headers = { 'Content-Type': jsonMediaType };
  if (json.length < minTrackedBytes || !onUnread) return new Response(json, { status, headers });
  const bytes = Buffer.from(json);
  const body = new SlicedBody(bytes);
  onUnread(body);
  return new Response(body.stream, { status, headers: { ...headers, 'Content-Length': String(bytes.length) } });
}

/** The request with another value of a header. */
export function replaceHeader(request: McpRequest, name: string, value: string): McpRequest {
  const { method, url, headers } = request;
  const isReplaced = (other: string): boolean => other.toLowerCase() === name;
  return {
    method,
    url,
    headers: {
      get: (other) => (isReplaced(other) ? value : headers.get(other)),
      has: (other) => isReplaced(other) || headers.has(other),
    },
    get signal() {
      return request.signal;
    },
    onceLeft: (listener) => onceCallerLeft(request, listener),
  };
}
