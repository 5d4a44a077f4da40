/** One connection to a target: undici's client with one socket, and what became of each request on it. */
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import type { Connector } from './connector.ts';
import { createProtocolError } from './interim-responses.ts';
import { type ContentLength, ResponseByteCounter } from './surplus-bytes.ts';
import type { WireListener, WireRequest, WireStage } from './wire.ts';

/** Header lines of an answer, names and values together, at most; more is refused. */
export const headLimitBytes = 65_536;

/** An open connection is used again within this time unless the target names another (`Keep-Alive: timeout=`). */
const idleLimitMs = 1000;

/** Our own time limit covers the whole run, so undici's are off. HTTP/1.1 only: what is sent is what is shown. */
const limits = {
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: idleLimitMs,
  maxHeaderSize: headLimitBytes,
  pipelining: 1,
  allowH2: false,
} as const;

type ParsedHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Carries one request at a time. */
export class TargetConnection {
  readonly #client: Dispatcher;
  readonly #received = new ResponseByteCounter();
  #socket: Socket | undefined;
  #breakage: Error | undefined;
  #dials = 0;

  constructor(origin: string, connector: Connector) {
    this.#client = new Client(origin, {
      ...limits,
      connect: (options, callback) => {
        this.#dials += 1;
        this.#socket = connector(options, (...result) => {
          if (result[1]) this.#followSocket(result[1]);
          callback(...result);
        });
      },
    });
  }

  /** Why the connection broke: undici takes a reset for the end of a body whose length nothing tells. */
  get breakage(): Error | undefined {
    return this.#breakage;
  }

  #followSocket(socket: Socket): void {
    this.#breakage = undefined;
    // Before undici, which ends the response in its own handler.
    socket.once('error', (error) => {
      this.#breakage = error;
    });
    this.#received.follow(socket);
  }

  /** How often a connection was made. */
  get dials(): number {
    return this.#dials;
  }

  /** Makes sure that the next request opens a new connection. Only between requests. */
  renew(): void {
    this.#socket?.destroy();
  }

  /** Sends `request`; `listener` receives its events. */
  send(request: WireRequest, listener: WireListener): TargetExchange {
    const { method, path, headers, body } = request;
    const exchange = new TargetExchange(this, listener, method);
    this.#received.restart();
    this.#client.dispatch({ method, path, headers, body: body ?? null, idempotent: false }, exchange);
    return exchange;
  }

  /** Of the response that has just ended. */
  countSurplus(length: ContentLength): number {
    return this.#received.countSurplus(length);
  }

  /** Ends the connection, in whatever state it is. */
  destroy(): void {
    withoutStackTraces(() => void this.#client.destroy());
    this.#socket?.destroy();
  }
}

/** A stream that is destroyed reads the stack of its error, for which V8 counts the lines of the whole program: 4 ms of a short run. */
function withoutStackTraces(action: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    action();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** One request on its way. Its methods are called by undici. */
export class TargetExchange implements Dispatcher.DispatchHandler {
  stage: WireStage = 'connect';
  /** True when the request went out on a connection that had carried another before. */
  reused = false;
  readonly #connection: TargetConnection;
  readonly #dialsBefore: number;
  readonly #method: string;
  #contentLength: ContentLength;
  #listener: WireListener | undefined;

  constructor(connection: TargetConnection, listener: WireListener, method: string) {
    this.#connection = connection;
    this.#method = method;
    this.#dialsBefore = connection.dials;
    this.#listener = listener;
  }

  /** The listener receives no further events. */
  mute(): void {
    this.#listener = undefined;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const listener = this.#listener;
    this.reused = this.#connection.dials === this.#dialsBefore;
    if (listener?.mayStart(!this.reused)) {
      this.stage = 'sent';
      return;
    }
    this.mute();
    controller.abort(new Error('not sent'));
  }

  onResponseStarted(): void {
    if (this.stage !== 'sent') return;
    this.stage = 'head';
    this.#listener?.onFirstByte();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ParsedHeaders): void {
    if (status < 200) return;
    const coding = hasNoBody(this.#method, status) ? undefined : findOtherCoding(headers['transfer-encoding']);
    if (coding !== undefined) {
      this.#listener?.onBroken(this.stage, createProtocolError(`its Transfer-Encoding is ${coding}`));
      this.mute();
      controller.abort(new Error('refused'));
      return;
    }
    this.stage = 'body';
    this.#contentLength = readContentLength(this.#method, status, headers);
    const raw = controller.rawHeaders;
    this.#listener?.onHead(status, Array.isArray(raw) ? raw : []);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#listener?.onData(chunk);
  }

  onResponseEnd(): void {
    const { breakage } = this.#connection;
    if (breakage) this.#listener?.onBroken(this.stage, breakage);
    else this.#listener?.onEnd(this.#connection.countSurplus(this.#contentLength));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#listener?.onBroken(this.stage, error);
  }
}

function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/**
 * A transfer coding besides `chunked`, which no request asks for (TE) and undici does not decode (RFC 9112 section 6.1): the bytes
 * that it passes on are not the body.
 */
function findOtherCoding(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const codings = [header].flat().join(',').toLowerCase().split(',');
  return codings.map((coding) => coding.trim()).find((coding) => !knownCodings.has(coding));
}

/** `identity` was a coding of RFC 2616. */
const knownCodings: ReadonlySet<string> = new Set(['', 'chunked', 'identity']);

/** What ends the body (RFC 9112 section 6.3). */
function readContentLength(method: string, status: number, headers: ParsedHeaders): ContentLength {
  if (hasNoBody(method, status)) return 0;
  const length = headers['content-length'];
  return headers['transfer-encoding'] === undefined && length !== undefined ? Number(length) : undefined;
}
