/**
 * Sends the messages of one call over a connection of its own, and reads what comes back. HTTP/2 is that of Node, not the one of
 * @grpc/grpc-js: that connects, resolves names and reads proxies by itself, repeats calls, and reports a target that is not there with
 * the same status as an answer.
 * Length: one call from its connection to its end, whose events share what has happened so far.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import { noHttp2Code } from '../../outbound/http2-socket.ts';
import { maxInterimResponses } from '../../outbound/interim-responses.ts';
import type { WireRequest, WireStage } from '../../outbound/wire.ts';
import { type ExecutionFailure, findHeaderValue, type HeaderList, type Timings } from '../../run/evidence.ts';
import { GrowingBuffer } from '../../streams/growing-buffer.ts';
import { createFailure } from '../execution-failure.ts';
import {
  bodyLimitBytes,
  createTooLargeFailure,
  parseRawHeaders,
  type TriggerOptions,
} from '../trigger/send-request.ts';
import { formatAddress, getAddressHints } from '../trigger/target-address.ts';
import { createWireFailure } from '../trigger/wire-failure.ts';
import { MessageFrameReader } from './message-frames.ts';

/** How long the target may take to close a connection that is not needed any more. */
const closeTimeoutMs = 1000;

export type FrameOptions = TriggerOptions & {
  readonly frames: readonly Buffer[];
  /** True where nothing tells the target that no further message is sent. */
  readonly staysOpen?: boolean;
  /** What earlier questions of the same request have left of `timeoutMs`; by default all of it. */
  readonly remainingMs?: number;
  /** From the sending on, in place of `timeoutMs`: many servers send the head of their response with the first message. */
  readonly limitMs?: number | undefined;
  /** Whether enough has come, or why the call fails. Throws where the message cannot be read. */
  readonly onMessage: (message: Buffer) => 'more' | 'done' | ExecutionFailure;
};

/** `hasEnded`: the target ended the call, in order; otherwise enough had come, its time was over, or it failed. */
export type FrameExchange = {
  readonly head: { readonly status: number; readonly headers: HeaderList } | undefined;
  readonly trailers: HeaderList | undefined;
  /** The body of a response that is none of gRPC. */
  readonly body: Buffer;
  readonly hasEnded: boolean;
  readonly failure: ExecutionFailure | undefined;
  readonly timings: Timings;
};

/** True for the head of a response with messages. */
export function isGrpcHead({ status, headers }: NonNullable<FrameExchange['head']>): boolean {
  return status === 200 && /^application\/grpc(?:[+;]|$)/i.test(findHeaderValue(headers, 'content-type') ?? '');
}

export function createBrokenFailure({ origin, path }: WireRequest, reason: string): ExecutionFailure {
  return createFailure('EXECUTOR_GRPC_BROKEN', { method: path.slice(1), address: formatAddress(origin), reason });
}

/** Never rejects. */
export function exchangeFrames(wire: WireRequest, options: FrameOptions): Promise<FrameExchange> {
  return new Promise((resolve) => new Exchange(wire, options, resolve).start());
}

class Exchange {
  readonly #wire: WireRequest;
  readonly #options: FrameOptions;
  readonly #resolve: (result: FrameExchange) => void;
  readonly #reader = new MessageFrameReader();
  readonly #body = new GrowingBuffer();
  readonly #onCancel = (): void =>
    this.#end(createFailure('EXECUTOR_RUN_CANCELLED', { when: this.#describeProgress() }));
  #stage: WireStage = 'connect';
  #head: FrameExchange['head'];
  /** The response has messages of gRPC; otherwise its body is read as it is. */
  #hasMessages = false;
  #trailers: HeaderList | undefined;
  #interimResponses = 0;
  #receivedBytes = 0;
  #connectMs: number | undefined;
  #firstByteMs: number | undefined;
  #session: ClientHttp2Session | undefined;
  #stream: ClientHttp2Stream | undefined;
  #abortConnecting: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;
  /** The target speaks HTTP/2, whatever it does wrong afterwards. */
  #hasSettings = false;
  #hasEnded = false;
  #isSettled = false;

  constructor(wire: WireRequest, options: FrameOptions, resolve: (result: FrameExchange) => void) {
    this.#wire = wire;
    this.#options = options;
    this.#resolve = resolve;
  }

  start(): void {
    const { signal, clock, timeoutMs, remainingMs = timeoutMs, dispatcher } = this.#options;
    if (signal?.aborted) {
      this.#onCancel();
      return;
    }
    signal?.addEventListener('abort', this.#onCancel, { once: true });
    this.#stopTimer = clock.after(remainingMs, () => this.#onTimeOver());
    this.#abortConnecting = dispatcher.openHttp2Socket(this.#wire.origin, (error, socket) => {
      if (socket) this.#send(socket);
      else this.#fail(error ?? new Error('no connection'));
    });
  }

  #send(socket: Socket): void {
    const refusal = this.#isSettled ? undefined : this.#options.beforeSend?.();
    if (this.#isSettled || refusal) {
      socket.destroy();
      if (refusal) this.#end(refusal);
      return;
    }
    this.#connectMs = this.#elapsedMs();
    this.#stage = 'sent';
    const { limitMs, clock } = this.#options;
    if (limitMs !== undefined) {
      this.#stopTimer?.();
      this.#stopTimer = clock.after(limitMs, () => this.#onTimeOver());
    }
    const { origin, headers, path } = this.#wire;
    const session = connect(origin, { createConnection: () => socket, settings: { enablePush: false } });
    this.#session = session;
    session.once('remoteSettings', () => {
      this.#hasSettings = true;
    });
    session.on('error', (error) => this.#fail(error));
    session.on('close', () => this.#fail(new Error('the connection was closed')));
    const fields = { ':method': 'POST', ':path': path, ...toFields(headers) };
    const stream = session.request(fields, { endStream: false });
    this.#stream = stream;
    stream.on('response', (received, _flags, rawHeaders?: readonly string[]) => this.#onHead(received, rawHeaders));
    stream.on('headers', () => this.#onInterimHead());
    stream.on('trailers', (received, _flags, rawHeaders?: readonly string[]) => {
      this.#trailers = toHeaderList(received, rawHeaders);
    });
    stream.on('data', (chunk: Buffer) => this.#onData(chunk));
    stream.on('end', () => this.#onEnd(stream));
    stream.on('error', (error) => this.#fail(error));
    stream.on('close', () => this.#onClose(stream.rstCode));
    for (const frame of this.#options.frames) stream.write(frame);
    if (!this.#options.staysOpen) stream.end();
  }

  #onHead(received: IncomingHttpHeaders, rawHeaders: readonly string[] | undefined): void {
    this.#stage = 'body';
    this.#firstByteMs = this.#elapsedMs();
    this.#head = { status: Number(received[':status'] ?? 0), headers: toHeaderList(received, rawHeaders) };
    this.#hasMessages = isGrpcHead(this.#head);
  }

  #onInterimHead(): void {
    this.#interimResponses += 1;
    if (this.#interimResponses <= maxInterimResponses) return;
    this.#end(this.#createBrokenFailure(`more than ${maxInterimResponses} interim responses (1xx)`));
  }

  #onTimeOver(): void {
    const isStream = this.#options.limitMs !== undefined && this.#hasMessages;
    this.#end(isStream ? undefined : this.#createTimeoutFailure());
  }

  #onData(chunk: Buffer): void {
    if (this.#isSettled || !this.#head) return;
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > bodyLimitBytes) {
      this.#end(createTooLargeFailure(this.#wire.origin, 'more was still arriving'));
      return;
    }
    if (this.#hasMessages) this.#readMessages(chunk);
    else this.#body.append(chunk);
  }

  #readMessages(chunk: Buffer): void {
    const messages = this.#reader.read(chunk);
    if (messages === 'compressed') {
      this.#end(this.#createBrokenFailure('a message is compressed, which was not asked for'));
      return;
    }
    for (const message of messages) {
      const next = this.#takeMessage(message);
      if (next === 'more') continue;
      this.#end(next === 'done' ? undefined : next);
      return;
    }
  }

  #takeMessage(message: Buffer): ReturnType<FrameOptions['onMessage']> {
    try {
      return this.#options.onMessage(message);
    } catch (error) {
      return this.#createBrokenFailure(`a message cannot be read (${error instanceof Error ? error.message : error})`);
    }
  }

  /** The trailers may follow the end of the data in a later turn; a stream without them is closed then. */
  #onEnd(stream: ClientHttp2Stream): void {
    if (!stream.closed && !stream.writableEnded) stream.end();
  }

  #onClose(rstCode: number): void {
    if (this.#isSettled || !this.#head) {
      this.#fail(new Error(`the stream was closed (${describeReset(rstCode)})`));
      return;
    }
    const isEnded = rstCode === constants.NGHTTP2_NO_ERROR || this.#trailers !== undefined;
    if (!isEnded) this.#end(this.#createBrokenFailure(`the target reset it (${describeReset(rstCode)})`));
    else if (this.#reader.isWithinMessage) this.#end(this.#createBrokenFailure('it ended within a message'));
    else {
      this.#hasEnded = true;
      this.#end(undefined);
    }
  }

  #fail(error: Error): void {
    if (this.#isSettled) return;
    const { origin } = this.#wire;
    const { baseUrlSource } = this.#options;
    const { setting } = getAddressHints(baseUrlSource);
    const code = 'code' in error ? String(error.code) : '';
    const address = formatAddress(origin);
    if (code === noHttp2Code || isProtocolRefusal(error, code, this.#hasSettings))
      this.#end(createFailure('EXECUTOR_GRPC_NOT_HTTP2', { address, reason: error.message, setting }));
    else if (this.#stage !== 'connect' && (code === '' || code.startsWith('ERR_HTTP2')))
      this.#end(this.#createBrokenFailure(error.message));
    else {
      const [status, bytes] = [this.#head?.status, this.#receivedBytes];
      this.#end(createWireFailure(error, { origin, baseUrlSource, stage: this.#stage, status, bytes }));
    }
  }

  #end(failure: ExecutionFailure | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#stopTimer?.();
    this.#options.signal?.removeEventListener('abort', this.#onCancel);
    const totalMs = this.#elapsedMs();
    const bodyMs = failure ? undefined : totalMs;
    this.#close();
    this.#resolve({
      head: this.#head,
      trailers: this.#trailers,
      body: this.#body.takeAll(),
      hasEnded: this.#hasEnded,
      failure,
      timings: { connectMs: this.#connectMs, firstByteMs: this.#firstByteMs, bodyMs, totalMs },
    });
  }

  /** The target learns that nobody waits any more before the connection is closed. */
  #close(): void {
    const session = this.#session;
    if (!session) this.#abortConnecting?.();
    if (!session || session.destroyed) return;
    if (!this.#stream?.closed) this.#stream?.close(constants.NGHTTP2_CANCEL);
    const stopWaiting = this.#options.clock.after(closeTimeoutMs, () => session.destroy());
    session.once('close', stopWaiting);
    session.close();
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonicMs() - this.#options.startMonotonicMs;
  }

  #describeProgress(): string {
    if (this.#stage === 'connect') return 'before anything was sent';
    return this.#head ? 'while its response was arriving' : 'while waiting for the response';
  }

  #createBrokenFailure(reason: string): ExecutionFailure {
    return createBrokenFailure(this.#wire, reason);
  }

  #createTimeoutFailure(): ExecutionFailure {
    const address = formatAddress(this.#wire.origin);
    const { timeoutMs, limitMs = timeoutMs } = this.#options;
    const seconds = (this.#stage === 'connect' ? timeoutMs : limitMs) / 1000;
    if (this.#stage === 'connect') return createFailure('EXECUTOR_TIMEOUT_CONNECT', { address, seconds });
    if (!this.#head) return createFailure('EXECUTOR_TIMEOUT_HEADERS', { address, seconds, progress: 'not one byte' });
    const { status } = this.#head;
    return createFailure('EXECUTOR_TIMEOUT_BODY', { address, seconds, status, bytes: this.#receivedBytes });
  }
}

/** What a server of HTTP/1 answers to HTTP/2, and one of TLS that knows no HTTP/2 says in the handshake. */
function isProtocolRefusal({ message }: Error, code: string, hasSettings: boolean): boolean {
  return (code === 'ERR_HTTP2_ERROR' && !hasSettings) || /no.application.protocol/i.test(`${code} ${message}`);
}

/** RFC 9113, 7, by their numbers. */
const resetNames = [
  ...['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED'],
  ...['FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM'],
  ...['INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'],
];

function describeReset(rstCode: number): string {
  return resetNames[rstCode] ?? `code ${rstCode}`;
}

/** Header lines by name in small letters, which HTTP/2 requires. */
function toFields(headers: readonly string[]): Record<string, string | string[]> {
  const fields = new Map<string, string[]>();
  for (const [name, value] of parseRawHeaders(headers)) {
    const key = name.toLowerCase();
    fields.set(key, [...(fields.get(key) ?? []), value]);
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values.join() : values]));
}

/** In their order, without those that HTTP/2 has in place of the status line. */
function toHeaderList(headers: IncomingHttpHeaders, rawHeaders: readonly string[] | undefined): HeaderList {
  const list = rawHeaders
    ? parseRawHeaders(rawHeaders)
    : Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each] as const));
  return list.filter(([name]) => !name.startsWith(':'));
}
