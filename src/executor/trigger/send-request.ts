/**
 * Sends one request and reads the response: at most 10 MiB of body, within the scenario's timeout, which covers
 * everything from name resolution to the last byte. Redirects are not followed.
 */
import type { Clock } from '../../environment/clock.ts';
import type { TargetDispatcher } from '../../outbound/target-dispatcher.ts';
import type { WireListener, WireRequest, WireStage } from '../../outbound/wire.ts';
import type { BaseUrlSource } from '../../project/project-config.ts';
import { type ExecutionFailure, findHeaderValue, type HeaderList, type Timings } from '../../run/evidence.ts';
import { GrowingBuffer } from '../../streams/growing-buffer.ts';
import { createFailure } from '../execution-failure.ts';
import type { EventStreamReader } from '../streams/event-stream-reader.ts';
import type { StreamMessages } from '../streams/message-list.ts';
import { formatAddress } from './target-address.ts';
import { createWireFailure } from './wire-failure.ts';

/** Limit of a body, before and after its Content-Encoding is decoded. */
export const bodyLimitBytes = 10 * 1024 * 1024;

export type TriggerOptions = {
  readonly dispatcher: TargetDispatcher;
  readonly clock: Clock;
  /** When the executor started to process the run, by the monotonic clock. */
  readonly startMonotonicMs: number;
  readonly timeoutMs: number;
  /** Where the target's address was configured; fixes refer to that. */
  readonly baseUrlSource: BaseUrlSource;
  /** Cancels the run when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Reads the response where it is a stream; it may end the request before the response does. */
  readonly stream?: EventStreamReader | undefined;
  /** Called immediately before the first byte is sent; a returned failure ends the run instead. */
  readonly beforeSend?: (() => ExecutionFailure | undefined) | undefined;
};

/** `bytes` is the body as received, still encoded; complete only when there is no failure. */
export type TriggerResult = {
  readonly head: { readonly status: number; readonly headers: HeaderList } | undefined;
  readonly bytes: Buffer;
  readonly failure: ExecutionFailure | undefined;
  /** Where the response is a stream; `bytes` is the beginning of their list then. */
  readonly messages?: StreamMessages | undefined;
  /** How many bytes had arrived behind the end of the response. */
  readonly surplusBytes: number;
  readonly timings: Timings;
};

/** Sends `request` once (see target-dispatcher.ts for the one exception). Never rejects. */
export function sendRequest(request: WireRequest, options: TriggerOptions): Promise<TriggerResult> {
  return new Promise((resolve) => new RequestExchange(request, options, resolve).start());
}

class RequestExchange implements WireListener {
  readonly #request: WireRequest;
  readonly #options: TriggerOptions;
  readonly #resolve: (result: TriggerResult) => void;
  readonly #body = new GrowingBuffer();
  readonly #onCancel = (): void => this.#abortWith(this.#createCancelledFailure());
  #receivedBytes = 0;
  #surplusBytes = 0;
  #stage: WireStage = 'connect';
  #head: TriggerResult['head'];
  #connectMs: number | undefined;
  #firstByteMs: number | undefined;
  #abort: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;
  #isSettled = false;

  constructor(request: WireRequest, options: TriggerOptions, resolve: (result: TriggerResult) => void) {
    this.#request = request;
    this.#options = options;
    this.#resolve = resolve;
  }

  start(): void {
    const { signal, clock, timeoutMs, dispatcher } = this.#options;
    if (signal?.aborted) {
      this.#settle(this.#createCancelledFailure());
      return;
    }
    signal?.addEventListener('abort', this.#onCancel, { once: true });
    this.#stopTimer = clock.after(timeoutMs, () => this.#abortWith(this.#createTimeoutFailure()));
    const abort = dispatcher.sendOnce(this.#request, this);
    if (this.#isSettled) abort();
    else this.#abort = abort;
  }

  mayStart(isFresh: boolean): boolean {
    const refusal = this.#options.beforeSend?.();
    if (refusal) {
      this.#settle(refusal);
      return false;
    }
    this.#connectMs = isFresh ? this.#elapsedMs() : 0;
    this.#stage = 'sent';
    return true;
  }

  onFirstByte(): void {
    this.#stage = 'head';
    this.#firstByteMs ??= this.#elapsedMs();
  }

  onHead(status: number, rawHeaders: readonly (Buffer | string)[]): void {
    this.#stage = 'body';
    const headers = parseRawHeaders(rawHeaders);
    this.#head = { status, headers };
    if (this.#options.stream?.onHead(status, headers)) this.#limitStream(this.#options.stream);
    if (this.#request.method === 'HEAD' || status === 204 || status === 304) return;
    const announcedBytes = Number(findHeaderValue(headers, 'content-length') ?? 0);
    if (announcedBytes > bodyLimitBytes)
      this.#abortWith(createTooLargeFailure(this.#request.origin, `${announcedBytes} bytes announced`));
  }

  onData(chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    const { stream } = this.#options;
    // The messages of a stream are its body.
    if (!stream?.isStream) this.#body.append(chunk);
    if (this.#receivedBytes > bodyLimitBytes)
      this.#abortWith(createTooLargeFailure(this.#request.origin, 'more was still arriving'));
    if (stream?.isStream && stream.onData(chunk)) this.#finish();
  }

  onEnd(surplusBytes: number): void {
    const { stream } = this.#options;
    if (stream?.isStream) stream.onEnd();
    this.#surplusBytes = surplusBytes;
    this.#settle(undefined);
  }

  onBroken(stage: WireStage, error: Error): void {
    const { origin } = this.#request;
    this.#settle(
      createWireFailure(error, {
        origin,
        baseUrlSource: this.#options.baseUrlSource,
        stage,
        status: this.#head?.status,
        bytes: this.#receivedBytes,
      }),
    );
  }

  /** Messages have their own time in place of that of the whole response. */
  #limitStream(stream: EventStreamReader): void {
    if (stream.limitMs === undefined) return;
    this.#stopTimer?.();
    this.#stopTimer = this.#options.clock.after(stream.limitMs, () => {
      stream.onTimeOver();
      this.#finish();
    });
  }

  /** Ends a stream of which enough has come. */
  #finish(): void {
    if (this.#isSettled) return;
    this.#settle(undefined);
    this.#abort?.();
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonicMs() - this.#options.startMonotonicMs;
  }

  #abortWith(failure: ExecutionFailure): void {
    if (this.#isSettled) return;
    this.#settle(failure);
    this.#abort?.();
  }

  #settle(failure: ExecutionFailure | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#stopTimer?.();
    this.#options.signal?.removeEventListener('abort', this.#onCancel);
    const totalMs = this.#elapsedMs();
    const bodyMs = failure ? undefined : totalMs;
    const timings = { connectMs: this.#connectMs, firstByteMs: this.#firstByteMs, bodyMs, totalMs };
    const bytes = this.#body.takeAll();
    this.#resolve({ head: this.#head, bytes, failure, surplusBytes: this.#surplusBytes, timings });
  }

  #createTimeoutFailure(): ExecutionFailure {
    const address = formatAddress(this.#request.origin);
    const seconds = this.#options.timeoutMs / 1000;
    if (this.#stage === 'connect') return createFailure('EXECUTOR_TIMEOUT_CONNECT', { address, seconds });
    const received = this.#stage === 'sent' ? 'not one byte' : 'it stopped in the header lines';
    if (!this.#head) return createFailure('EXECUTOR_TIMEOUT_HEADERS', { address, seconds, progress: received });
    return createFailure('EXECUTOR_TIMEOUT_BODY', {
      address,
      seconds,
      status: this.#head.status,
      bytes: this.#receivedBytes,
    });
  }

  #createCancelledFailure(): ExecutionFailure {
    const waiting = this.#head ? 'while its response was arriving' : 'while waiting for the response';
    return createFailure('EXECUTOR_RUN_CANCELLED', {
      when: this.#stage === 'connect' ? 'before anything was sent' : waiting,
    });
  }
}

/** The failure of a body over {@link bodyLimitBytes}; `observedSize` says what was observed. */
export function createTooLargeFailure(origin: string, observedSize: string): ExecutionFailure {
  const limit = `${bodyLimitBytes / 1_048_576} MiB`;
  return createFailure('EXECUTOR_RESPONSE_TOO_LARGE', {
    address: formatAddress(origin),
    limit,
    size: observedSize,
  });
}

/** Header bytes are Latin-1 (RFC 9112 section 2.2 leaves this to the recipient). */
export function parseRawHeaders(raw: readonly (Buffer | string)[]): HeaderList {
  const text = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < text.length; index += 2) pairs.push([text[index] ?? '', text[index + 1] ?? '']);
  return pairs;
}
