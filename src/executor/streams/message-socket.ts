/**
 * Opens a WebSocket (RFC 6455), sends the messages of the scenario and receives those of the target. Loaded where a scenario
 * receives messages. Without compression: what is received is what was sent.
 * Length: one connection from its opening to its closing, whose events share what has happened so far.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import WebSocket from 'ws';
import { maxInterimResponses } from '../../outbound/interim-responses.ts';
import { headLimitBytes } from '../../outbound/target-connection.ts';
import type { WireRequest, WireStage } from '../../outbound/wire.ts';
import type { ExecutionFailure } from '../../run/evidence.ts';
import { GrowingBuffer } from '../../streams/growing-buffer.ts';
import { createFailure } from '../execution-failure.ts';
import {
  bodyLimitBytes,
  createTooLargeFailure,
  parseRawHeaders,
  type TriggerOptions,
  type TriggerResult,
} from '../trigger/send-request.ts';
import { formatAddress, getAddressHints } from '../trigger/target-address.ts';
import { createWireFailure } from '../trigger/wire-failure.ts';
import { type MessageCollector, toStreamMessage } from './message-collector.ts';

/** How long the target may take to answer our closing of the connection. */
const closeTimeoutMs = 1000;
/** Normal closure, going away, and a closing without a code (RFC 6455, 7.4.1). */
const orderlyCodes: ReadonlySet<number> = new Set([1000, 1001, 1005]);
const brokenOffCode = 1006;
const tooLargeCodes: ReadonlySet<string> = new Set([
  'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
  'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH',
]);

/** Never rejects. The result has a head of status 101 where the connection was opened. */
export function exchangeMessages(
  wire: WireRequest,
  messages: readonly string[],
  options: TriggerOptions,
  collector: MessageCollector,
): Promise<TriggerResult> {
  return new Promise((resolve) => new MessageExchange(wire, messages, options, collector, resolve).start());
}

class MessageExchange {
  readonly #wire: WireRequest;
  readonly #messages: readonly string[];
  readonly #options: TriggerOptions;
  readonly #collector: MessageCollector;
  readonly #resolve: (result: TriggerResult) => void;
  readonly #body = new GrowingBuffer();
  readonly #onCancel = (): void =>
    this.#end(createFailure('EXECUTOR_RUN_CANCELLED', { when: this.#describeProgress() }));
  #receivedBytes = 0;
  #stage: WireStage = 'connect';
  #head: TriggerResult['head'];
  #connectMs: number | undefined;
  #firstByteMs: number | undefined;
  #socket: WebSocket | undefined;
  #abortConnecting: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;
  /** The newest one, while a pong is on its way. */
  #ping: Buffer | undefined;
  #wasOpen = false;
  #isSettled = false;

  constructor(
    wire: WireRequest,
    messages: readonly string[],
    options: TriggerOptions,
    collector: MessageCollector,
    resolve: (result: TriggerResult) => void,
  ) {
    this.#wire = wire;
    this.#messages = messages;
    this.#options = options;
    this.#collector = collector;
    this.#resolve = resolve;
  }

  start(): void {
    const { signal, clock, timeoutMs, dispatcher } = this.#options;
    if (signal?.aborted) {
      this.#onCancel();
      return;
    }
    signal?.addEventListener('abort', this.#onCancel, { once: true });
    this.#stopTimer = clock.after(timeoutMs, () => this.#end(this.#createTimeoutFailure()));
    this.#abortConnecting = dispatcher.openSocket(this.#wire.origin, (error, socket) => {
      if (socket) this.#upgrade(socket);
      else this.#fail(error ?? new Error('no connection'));
    });
  }

  #upgrade(connection: Socket): void {
    if (this.#isSettled) {
      connection.destroy();
      return;
    }
    const refusal = this.#options.beforeSend?.();
    if (refusal) {
      connection.destroy();
      this.#end(refusal);
      return;
    }
    this.#connectMs = this.#elapsedMs();
    this.#stage = 'sent';
    const { origin, path, headers } = this.#wire;
    const { fields, protocols } = toFields(headers);
    const socket = new WebSocket(origin + path, protocols, {
      headers: fields,
      createConnection: () => connection,
      maxPayload: bodyLimitBytes,
      perMessageDeflate: false,
      // The library ends a connection whose other side does not read its pongs.
      autoPong: false,
      maxHeaderSize: headLimitBytes,
      finishRequest: (opening) => this.#open(opening),
    });
    this.#socket = socket;
    socket.on('upgrade', (response) => this.#onHead(response));
    socket.on('unexpected-response', (_request, response) => this.#onRefused(response));
    socket.on('open', () => this.#onOpen(socket));
    socket.on('ping', (data) => this.#answerPing(socket, data));
    socket.on('message', (data, isBinary) => this.#onMessage(toBuffer(data), isBinary));
    socket.on('close', (code) => this.#onClose(code));
    socket.on('error', (error) => this.#fail(error));
  }

  #open(opening: ClientRequest): void {
    let responses = 0;
    opening.on('information', () => {
      responses += 1;
      if (responses <= maxInterimResponses) return;
      this.#end(this.#createNotHttpFailure(`more than ${maxInterimResponses} interim responses (1xx)`));
    });
    opening.end();
  }

  /** The newest ping is answered once the pong before it has left (RFC 6455, 5.5.3): a target that reads none costs nothing. */
  #answerPing(socket: WebSocket, data: Buffer): void {
    const isWaiting = this.#ping !== undefined;
    this.#ping = data;
    if (isWaiting || socket.readyState !== WebSocket.OPEN) return;
    socket.pong(data, true, () => {
      const newest = this.#ping;
      this.#ping = undefined;
      if (newest !== undefined && newest !== data) this.#answerPing(socket, newest);
    });
  }

  #onHead({ statusCode, rawHeaders }: IncomingMessage): void {
    this.#stage = 'body';
    this.#firstByteMs = this.#elapsedMs();
    this.#head = { status: statusCode ?? 0, headers: parseRawHeaders(rawHeaders) };
  }

  /** An answer in place of the connection is read like any other response. */
  #onRefused(response: IncomingMessage): void {
    this.#onHead(response);
    response.on('data', (chunk: Buffer) => {
      this.#receivedBytes += chunk.length;
      this.#body.append(chunk);
      if (this.#receivedBytes > bodyLimitBytes) this.#end(this.#createTooLargeFailure());
    });
    response.once('end', () => this.#end(undefined));
    response.once('error', (error) => this.#fail(error));
    response.once('aborted', () => this.#fail(new Error('the connection was closed')));
  }

  #onOpen(socket: WebSocket): void {
    this.#wasOpen = true;
    const { receive } = this.#collector;
    if (receive.stop !== 'end') {
      this.#stopTimer?.();
      this.#stopTimer = this.#options.clock.after(receive.limitMs, () => this.#endCollecting('time'));
    }
    for (const message of this.#messages) socket.send(message);
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#isSettled) return;
    this.#receivedBytes += data.length;
    if (this.#receivedBytes > bodyLimitBytes) {
      this.#end(this.#createTooLargeFailure());
      return;
    }
    this.#collector.add(
      isBinary ? { text: `{"base64":"${data.toString('base64')}"}` } : toStreamMessage(data.toString('utf8')),
    );
    if (this.#collector.isDone) this.#end(undefined);
  }

  #onClose(code: number): void {
    if (this.#isSettled) return;
    if (code === brokenOffCode) this.#fail(new Error('the connection was closed without a closing message'));
    else if (orderlyCodes.has(code)) this.#endCollecting('end');
    else this.#endCollecting(`code ${code}`);
  }

  #endCollecting(ending: Parameters<MessageCollector['end']>[0]): void {
    if (this.#isSettled) return;
    this.#collector.end(ending);
    this.#end(undefined);
  }

  #fail(error: Error): void {
    const { origin } = this.#wire;
    const address = formatAddress(origin);
    const { baseUrlSource } = this.#options;
    const code = 'code' in error ? String(error.code) : '';
    const common = { address, status: this.#head?.status ?? 0, bytes: this.#receivedBytes };
    if (tooLargeCodes.has(code)) this.#end(this.#createTooLargeFailure());
    else if (code === 'HPE_HEADER_OVERFLOW')
      this.#end(createFailure('EXECUTOR_TARGET_HEAD_TOO_LARGE', { address, limit: headLimitBytes }));
    else if (code.startsWith('WS_ERR') || this.#isOpening())
      this.#end(createFailure('EXECUTOR_SOCKET_INVALID', { address, reason: error.message }));
    else if (this.#stage === 'body')
      this.#end(createFailure('EXECUTOR_BODY_BROKEN_OFF', { ...common, reason: error.message }));
    else if (this.#stage === 'sent' && (code === '' || code.startsWith('HPE_')))
      this.#end(this.#createNotHttpFailure(error.message));
    else
      this.#end(createWireFailure(error, { origin, baseUrlSource, stage: this.#stage, status: undefined, bytes: 0 }));
  }

  #end(failure: ExecutionFailure | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#stopTimer?.();
    this.#options.signal?.removeEventListener('abort', this.#onCancel);
    const totalMs = this.#elapsedMs();
    const timings = {
      connectMs: this.#connectMs,
      firstByteMs: this.#firstByteMs,
      bodyMs: failure ? undefined : totalMs,
      totalMs,
    };
    this.#close(failure !== undefined);
    this.#resolve({ head: this.#head, bytes: this.#body.takeAll(), failure, surplusBytes: 0, timings });
  }

  #close(isBroken: boolean): void {
    const socket = this.#socket;
    if (!socket) this.#abortConnecting?.();
    else if (isBroken || socket.readyState !== WebSocket.OPEN) socket.terminate();
    else {
      socket.close(1000);
      const stopWaiting = this.#options.clock.after(closeTimeoutMs, () => socket.terminate());
      socket.once('close', stopWaiting);
    }
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonicMs() - this.#options.startMonotonicMs;
  }

  #describeProgress(): string {
    if (this.#stage === 'connect') return 'before anything was sent';
    return this.#head ? 'while its messages were arriving' : 'while waiting for the response';
  }

  /** A head of status 101 has come, and what the library refuses is in it. */
  #isOpening(): boolean {
    return this.#head?.status === 101 && !this.#wasOpen;
  }

  #createNotHttpFailure(reason: string): ExecutionFailure {
    const { setting } = getAddressHints(this.#options.baseUrlSource);
    return createFailure('EXECUTOR_TARGET_NOT_HTTP', { address: formatAddress(this.#wire.origin), reason, setting });
  }

  #createTooLargeFailure(): ExecutionFailure {
    return createTooLargeFailure(this.#wire.origin, 'more was still arriving');
  }

  #createTimeoutFailure(): ExecutionFailure {
    const address = formatAddress(this.#wire.origin);
    const seconds = this.#options.timeoutMs / 1000;
    if (this.#stage === 'connect') return createFailure('EXECUTOR_TIMEOUT_CONNECT', { address, seconds });
    if (!this.#head) return createFailure('EXECUTOR_TIMEOUT_HEADERS', { address, seconds, progress: 'not one byte' });
    const { status } = this.#head;
    return createFailure('EXECUTOR_TIMEOUT_BODY', { address, seconds, status, bytes: this.#receivedBytes });
  }
}

function toBuffer(data: WebSocket.RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

/** Header lines by name, repeated ones joined (RFC 9110, 5.3); protocols are negotiated by the library. */
function toFields(headers: readonly string[]): { fields: Record<string, string>; protocols: string[] } {
  const fields: Record<string, string> = {};
  const protocols: string[] = [];
  for (const [name, value] of parseRawHeaders(headers)) {
    const existing = fields[name];
    if (name.toLowerCase() === 'sec-websocket-protocol') protocols.push(...value.split(',').map((each) => each.trim()));
    else if (existing === undefined) fields[name] = value;
    else fields[name] = `${existing}${name.toLowerCase() === 'cookie' ? ';' : ','} ${value}`;
  }
  return { fields, protocols };
}
