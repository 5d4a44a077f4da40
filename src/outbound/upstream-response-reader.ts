/**
 * Reads a response as it arrives: JSON and other text completely, an event stream event by event; both bounded. It is a handler
 * for undici's `dispatch` because the streams of undici's `request` cost more than the request itself.
 *
 * Length: what undici reports of one response shares its limits and its pauses.
 */
import { isAscii } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { growHeapForLargeTexts } from '../environment/heap-growth.ts';
import { vpError } from '../errors/vp-error.ts';
import { GrowingBuffer } from '../streams/growing-buffer.ts';
import { EventEnds } from './event-ends.ts';
import { type EventConsumer, EventStreamBody } from './event-stream-body.ts';

export type UpstreamResponseOptions = {
  /** A smaller limit for this response. */
  readonly maxBytes?: number | undefined;
  /** Creates what gets the event stream of a successful response, which has no `body` then. */
  readonly createConsumer?: (() => EventConsumer) | undefined;
  /** JSON of unknown length is handed over as it arrives, too. */
  readonly streamsJson?: boolean | undefined;
  /** JSON of a successful response that has as many bytes, all of ASCII, is not decoded. */
  readonly bytesFrom?: number | undefined;
};

/** `body` is a text, the bytes of one that is ASCII, an open event stream, or null where the status has no body. */
export type UpstreamResponse = {
  readonly status: number;
  /** Retained headers only, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
};

export type ReadOptions = Pick<UpstreamResponseOptions, 'createConsumer' | 'streamsJson' | 'bytesFrom'> & {
  /** Larger responses, and larger events of a stream, are aborted with UPSTREAM_ANSWER_TOO_LARGE. */
  readonly limitBytes: number;
  /** A smaller limit for successful responses; error responses are read up to `limitBytes` to be reported. */
  readonly maxBytes: number | undefined;
  /** True while no more of large responses may be read. */
  readonly mustWait?: (() => boolean) | undefined;
  /** Used in error messages. */
  readonly host: string;
  readonly retainedHeaders: readonly string[];
  /** Throws for a status that is refused. */
  assertStatus(status: number): void;
};

type RawHeaders = Record<string, string | string[] | undefined>;
type Settlement = { resolve(answer: UpstreamResponse): void; reject(problem: unknown): void };

/** Chunks of a stream are handed over together, up to this much. */
const handOverBytes = 65_536;
/**
 * Large responses are read in slices, with a turn for other calls after each; after `burstBytes` at 50 MB a second, so that a
 * server that floods does not take a processor. A chunk counts as so many bytes besides its own: chunks of one byte take 0.3 µs
 * each.
 */
const sliceBytes = 1_000_000;
const burstBytes = 16_000_000;
const chunkCostBytes = 16;
const pauseMs = 20;
/** A stream whose consumer needs no more may end by itself within these limits: its connection is then used again. */
const drainMs = 1000;
const drainBytes = 65_536;
const byteOrderMark = 0xfeff;
const noBytes = new Uint8Array();
const emptyStatuses: readonly number[] = [204, 205, 304];

export class UpstreamResponseReader implements Dispatcher.DispatchHandler {
  readonly #reading: ReadOptions;
  readonly #signal: AbortSignal | undefined;
  readonly #settled: Settlement;
  readonly #left = (): void => this.#fail(this.#signal?.reason);
  readonly #bytes = new GrowingBuffer();
  readonly #ends = new EventEnds();
  #control: Dispatcher.DispatchController | undefined;
  #head: Omit<UpstreamResponse, 'body'> | undefined;
  #consumer: EventConsumer | undefined;
  #drainTimer: NodeJS.Timeout | undefined;
  #drainedBytes = 0;
  #limitBytes: number;
  #size = 0;
  #slice = 0;
  #burstBytesLeft = burstBytes;
  #isPausing = false;
  /** Chunks of a stream that the consumer gets together, at the end of this turn of the event loop. */
  #isHandingOver = false;
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
    const announcedLength = Number(headers['content-length'] ?? 0);
    if (announcedLength > this.#limitBytes) throw this.#tooLarge();
    if (announcedLength > 0) this.#bytes.expect(announcedLength);
    const type = head.headers['content-type'] ?? '';
    const isJsonStream =
      this.#reading.streamsJson && type.startsWith('application/json') && headers['content-length'] === undefined;
    if (isJsonStream || type.startsWith('text/event-stream')) this.#settled.resolve(this.#openEvents(head));
  }

  #openEvents(head: Omit<UpstreamResponse, 'body'>): UpstreamResponse {
    const { createConsumer } = this.#reading;
    if (createConsumer && head.status < 300) {
      this.#consumer = createConsumer();
      return { ...head, body: null };
    }
    const body = new EventStreamBody(
      () => this.#resume(),
      () => this.#leave(),
    );
    this.#consumer = body;
    return { ...head, body: body.stream };
  }

  onResponseData(control: Dispatcher.DispatchController, chunk: Buffer): void {
    // The parser emits an empty chunk when it resumes after a pause.
    if (this.#over || chunk.length === 0) return;
    if (this.#drainTimer) {
      this.#drainedBytes += chunk.length;
      if (this.#drainedBytes > drainBytes) this.#leave();
      return;
    }
    this.#bytes.append(chunk);
    if (this.#consumer) this.#scheduleHandOver();
    else {
      this.#size += chunk.length;
      if (this.#size > this.#limitBytes) this.#fail(this.#tooLarge());
    }
    this.#pauseAfterSlice(control, chunk);
  }

  #pauseAfterSlice(control: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#slice += chunk.length + chunkCostBytes;
    if (this.#over || this.#slice < sliceBytes) return;
    growHeapForLargeTexts();
    this.#burstBytesLeft -= this.#slice;
    this.#slice = 0;
    this.#isPausing = true;
    control.pause();
    const resume = (): void => {
      if (!this.#over && this.#reading.mustWait?.()) {
        setTimeout(resume, pauseMs);
        return;
      }
      this.#isPausing = false;
      if (!this.#consumer?.isFull) control.resume();
    };
    if (this.#burstBytesLeft > 0) setImmediate(resume);
    else setTimeout(resume, pauseMs);
  }

  #resume(): void {
    if (!this.#isPausing) this.#control?.resume();
  }

  /** A read of the socket may hold thousands of chunks; the consumer takes a microtask for each that it gets. */
  #scheduleHandOver(): void {
    if (this.#bytes.length >= handOverBytes) this.#handOver();
    if (this.#isHandingOver) return;
    this.#isHandingOver = true;
    queueMicrotask(() => {
      this.#isHandingOver = false;
      this.#handOver();
    });
  }

  #handOver(): void {
    const consumer = this.#consumer;
    if (this.#over || !consumer || this.#bytes.length === 0) return;
    const bytes = this.#bytes.takeAll();
    const end = this.#ends.findLast(bytes);
    this.#size = end < 0 ? this.#size + bytes.length : bytes.length - end;
    if (this.#size > this.#limitBytes) {
      this.#fail(this.#tooLarge());
      return;
    }
    if (!consumer.onBytes(bytes)) this.#drain();
    else if (consumer.isFull) this.#pauseUntilReady(consumer);
  }

  #pauseUntilReady(consumer: EventConsumer): void {
    this.#control?.pause();
    consumer.onceReady?.(() => {
      if (this.#over) return;
      if (!consumer.onBytes(noBytes)) this.#drain();
      // What is drained must arrive, too: the end of the stream, after which its connection is used again.
      this.#resume();
    });
  }

  #drain(): void {
    this.#consumer = undefined;
    this.#signal?.removeEventListener('abort', this.#left);
    this.#drainTimer = setTimeout(() => this.#leave(), drainMs).unref();
  }

  /** Aborts the request of a stream that has no reader any more. */
  #leave(): void {
    if (this.#over) return;
    this.#end();
    this.#control?.abort(new Error('the reader has gone'));
  }

  onResponseEnd(): void {
    this.#handOver();
    if (this.#over || !this.#head) return;
    const isDraining = this.#drainTimer !== undefined;
    this.#end();
    if (isDraining) return;
    if (this.#consumer) this.#consumer.onEnd(undefined);
    else this.#settled.resolve({ ...this.#head, body: this.#takeBody(this.#head) });
  }

  onResponseError(_control: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #takeBody({ status, headers }: Omit<UpstreamResponse, 'body'>): UpstreamResponse['body'] {
    if (emptyStatuses.includes(status)) return null;
    const { bytesFrom = Number.POSITIVE_INFINITY } = this.#reading;
    const isJson = headers['content-type']?.startsWith('application/json');
    const isLarge = isJson && status < 300 && this.#bytes.length >= bytesFrom;
    return isLarge && isAscii(this.#bytes.view()) ? this.#bytes.takeFitting() : this.#text();
  }

  #text(): string {
    const text = this.#bytes.takeText();
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
    if (this.#drainTimer) clearTimeout(this.#drainTimer);
  }

  /** Rejects the caller or errors its stream, and aborts the request. */
  #fail(problem: unknown): void {
    if (this.#over) return;
    this.#end();
    this.#bytes.discard();
    if (this.#consumer) this.#consumer.onEnd(problem);
    else this.#settled.reject(problem);
    this.#control?.abort(problem instanceof Error ? problem : new Error('broken off'));
  }
}
