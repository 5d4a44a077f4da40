/**
 * Reads a response as it arrives: JSON and other text completely, an event stream event by event; both bounded. It is a handler
 * for undici's `dispatch` because the streams of undici's `request` cost more than the request itself.
 */
import type { Dispatcher } from 'undici';
import { vpError } from '../errors/vp-error.ts';
import { GrowingBuffer } from '../streams/growing-buffer.ts';

export type UpstreamResponseOptions = {
  /** Called at the end of an event stream: `problem` is undefined after a regular end, `resumable` is true when events had ids. */
  onStreamEnd?(problem: unknown, resumable: boolean): void;
  /** A smaller limit for this response. */
  readonly maxBytes?: number | undefined;
};

/** `body` is a text, an open event stream, or null where the status has no body. */
export type UpstreamResponse = {
  readonly status: number;
  /** Retained headers only, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | null;
};

export type ReadOptions = Pick<UpstreamResponseOptions, 'onStreamEnd'> & {
  /** Larger responses, and larger events of a stream, are aborted with UPSTREAM_ANSWER_TOO_LARGE. */
  readonly limitBytes: number;
  /** A smaller limit for successful responses; error responses are read up to `limitBytes` to be reported. */
  readonly maxBytes: number | undefined;
  /** Used in error messages. */
  readonly host: string;
  readonly retainedHeaders: readonly string[];
  /** Throws for a status that is refused. */
  assertStatus(status: number): void;
};

type RawHeaders = Record<string, string | string[] | undefined>;
type Settlement = { resolve(answer: UpstreamResponse): void; reject(problem: unknown): void };

/** How much of a stream is read before its consumer asks for more. */
const readAheadBytes = 65_536;
/**
 * Large responses are read in slices, 50 MB a second, so that garbage collection does not delay other calls. A chunk counts as
 * so many bytes besides its own: chunks of one byte take 0.3 µs each.
 */
const sliceBytes = 1_000_000;
const chunkCostBytes = 16;
const pauseMs = 20;
const newline = 10;
const carriageReturn = 13;
const byteOrderMark = 0xfeff;
const emptyStatuses: readonly number[] = [204, 205, 304];

export class UpstreamResponseReader implements Dispatcher.DispatchHandler {
  readonly #reading: ReadOptions;
  readonly #signal: AbortSignal | undefined;
  readonly #settled: Settlement;
  readonly #left = (): void => this.#fail(this.#signal?.reason);
  readonly #bytes = new GrowingBuffer();
  #control: Dispatcher.DispatchController | undefined;
  #head: Omit<UpstreamResponse, 'body'> | undefined;
  #events: ReadableStreamDefaultController<Uint8Array> | undefined;
  #limitBytes: number;
  #size = 0;
  #slice = 0;
  #isPausing = false;
  /** Chunks of a stream that the consumer gets together, at the end of this turn of the event loop. */
  #isHandingOver = false;
  #endsWithNewline = false;
  #resumable = false;
  #over = false;

  constructor(reading: ReadOptions, signal: AbortSignal | undefined, settled: Settlement) {
    this.#reading = reading;
    this.#signal = signal;
    this.#settled = settled;
    this.#limitBytes = reading.limitBytes;
    signal?.addEventListener('abort', this.#left);
  }

  onRequestStart(control: Dispatcher.DispatchController): void {
    this.#control = control;
    if (this.#over) control.abort(new Error('the caller has gone'));
  }

  onResponseStart(_control: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200 || this.#over) return;
    try {
      this.#begin(status, headers);
    } catch (error) {
      this.#fail(error);
    }
  }

  #begin(status: number, headers: RawHeaders): void {
    this.#reading.assertStatus(status);
    const head = { status, headers: this.#retainHeaders(headers) };
    this.#head = head;
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#reading;
    if (status < 300) this.#limitBytes = Math.min(this.#limitBytes, maxBytes);
    if (emptyStatuses.includes(status)) return;
    if (Number(headers['content-length'] ?? 0) > this.#limitBytes) throw this.#tooLarge();
    const isEvents = head.headers['content-type']?.startsWith('text/event-stream');
    if (isEvents) this.#settled.resolve({ ...head, body: this.#eventStream() });
  }

  onResponseData(control: Dispatcher.DispatchController, chunk: Buffer): void {
    // The parser emits an empty chunk when it resumes after a pause.
    if (this.#over || chunk.length === 0) return;
    this.#bytes.append(chunk);
    if (this.#events) this.#scheduleHandOver();
    else {
      this.#size += chunk.length;
      if (this.#size > this.#limitBytes) this.#fail(this.#tooLarge());
    }
    this.#pauseAfterSlice(control, chunk);
  }

  #pauseAfterSlice(control: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#slice += chunk.length + chunkCostBytes;
    if (this.#over || this.#slice < sliceBytes) return;
    this.#slice = 0;
    this.#isPausing = true;
    control.pause();
    setTimeout(() => {
      this.#isPausing = false;
      if (!this.#events || (this.#events.desiredSize ?? 0) > 0) control.resume();
    }, pauseMs);
  }

  /** A read of the socket may hold thousands of chunks; the consumer takes a microtask for each that it gets. */
  #scheduleHandOver(): void {
    if (this.#bytes.length >= readAheadBytes) this.#handOver();
    if (this.#isHandingOver) return;
    this.#isHandingOver = true;
    queueMicrotask(() => {
      this.#isHandingOver = false;
      this.#handOver();
    });
  }

  #handOver(): void {
    if (this.#over || !this.#events || this.#bytes.length === 0) return;
    const bytes = this.#bytes.takeAll();
    const end = this.#findLastEnd(bytes);
    this.#size = end < 0 ? this.#size + bytes.length : bytes.length - end;
    if (this.#size > this.#limitBytes) {
      this.#fail(this.#tooLarge());
      return;
    }
    this.#resumable ||= bytes.includes('id:');
    this.#events.enqueue(bytes);
    if ((this.#events.desiredSize ?? 0) <= 0) this.#control?.pause();
  }

  /** Where the last event of `bytes` ends; its empty line may begin in the bytes before. */
  #findLastEnd(bytes: Buffer): number {
    const end = findLastEventEnd(bytes);
    const continuesLine = this.#endsWithNewline;
    this.#endsWithNewline = bytes.at(-1) === newline;
    if (end >= 0 || !continuesLine) return end;
    const index = bytes[0] === carriageReturn ? 1 : 0;
    return bytes[index] === newline ? index + 1 : -1;
  }

  onResponseEnd(): void {
    this.#handOver();
    if (this.#over || !this.#head) return;
    this.#end();
    if (this.#events) {
      this.#events.close();
      this.#reading.onStreamEnd?.(undefined, this.#resumable);
    } else
      this.#settled.resolve({ ...this.#head, body: emptyStatuses.includes(this.#head.status) ? null : this.#text() });
  }

  onResponseError(_control: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #eventStream(): ReadableStream<Uint8Array> {
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (events) => {
        this.#events = events;
      },
      pull: () => {
        if (!this.#isPausing) this.#control?.resume();
      },
      cancel: () => {
        if (this.#over) return;
        this.#end();
        this.#control?.abort(new Error('the reader has gone'));
      },
    };
    return new ReadableStream(source, { highWaterMark: readAheadBytes, size: ({ byteLength }) => byteLength });
  }

  #text(): string {
    const text = this.#bytes.takeAll().toString('utf8');
    return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
  }

  #retainHeaders(headers: RawHeaders): Record<string, string> {
    const retained: Record<string, string> = {};
    for (const name of this.#reading.retainedHeaders) {
      const value = headers[name];
      if (value !== undefined) retained[name] = String(value);
    }
    return retained;
  }

  #tooLarge(): Error {
    const limit_mb = Math.round(this.#limitBytes / 10_000) / 100;
    return vpError('UPSTREAM_ANSWER_TOO_LARGE', { connection: this.#reading.host, limit_mb });
  }

  #end(): void {
    this.#over = true;
    this.#signal?.removeEventListener('abort', this.#left);
  }

  /** Rejects the caller or errors its stream, and aborts the request. */
  #fail(problem: unknown): void {
    if (this.#over) return;
    this.#end();
    this.#bytes.clear();
    if (this.#events) {
      this.#events.error(problem);
      this.#reading.onStreamEnd?.(problem, false);
    } else this.#settled.reject(problem);
    this.#control?.abort(problem instanceof Error ? problem : new Error('broken off'));
  }
}

/** Where the last event of the bytes ends; -1 when none does. Lines may end with CR LF. */
function findLastEventEnd(bytes: Buffer): number {
  let index = bytes.lastIndexOf(newline);
  while (index > 0) {
    const before = bytes[index - 1] === carriageReturn ? index - 2 : index - 1;
    if (bytes[before] === newline) return index + 1;
    index = bytes.lastIndexOf(newline, index - 1);
  }
  return -1;
}
