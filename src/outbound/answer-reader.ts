/**
 * Reads an answer while it arrives: JSON and other texts as a whole, a stream of events event by event; both bounded. It is
 * undici's own handler rather than its `request`, whose streams cost more than the request.
 */
import type { Dispatcher } from 'undici';
import { vpError } from '../errors/vp-error.ts';

/** What whoever asks wants beside the answer. */
export type AnswerWishes = {
  /** Hears how a stream of events ended: `problem` is undefined when in order, `resumable` when its events had ids. */
  onStreamEnd?(problem: unknown, resumable: boolean): void;
  /** Less than what is read of anybody's answer. */
  readonly mostBytes?: number | undefined;
};

/** An answer: a text, a stream of events that goes on, or null where its status has no body. */
export type Answer = {
  readonly status: number;
  /** In lower case; those that are looked at. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | null;
};

/** How much is read, and what becomes of it. */
export type Reading = Pick<AnswerWishes, 'onStreamEnd'> & {
  /** Larger answers, and larger events of a stream, are broken off with UPSTREAM_ANSWER_TOO_LARGE. */
  readonly limitBytes: number;
  /** Less, for what is no refusal: those are read to be understood. */
  readonly mostBytes: number | undefined;
  /** As it is told in errors. */
  readonly host: string;
  /** The headers that are kept. */
  readonly keptHeaders: readonly string[];
  /** Throws what refuses an answer by its status. */
  demandStatus(status: number): void;
};

type Told = Record<string, string | string[] | undefined>;
type Settled = { resolve(answer: Answer): void; reject(problem: unknown): void };

/** So much of a stream is read before anybody wants it. */
const aheadBytes = 65_536;
/** Large answers are read in pieces, so that what they leave to collect holds up nobody else: 50 MB a second. */
const pieceBytes = 1_000_000;
const pauseMs = 20;
const newline = 10;
const byteOrderMark = 0xfeff;
const emptyStatuses: readonly number[] = [204, 205, 304];

/** One answer on its way. */
export class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #reading: Reading;
  readonly #signal: AbortSignal | undefined;
  readonly #settled: Settled;
  readonly #left = (): void => this.#fail(this.#signal?.reason);
  readonly #chunks: Buffer[] = [];
  #control: Dispatcher.DispatchController | undefined;
  #head: Omit<Answer, 'body'> | undefined;
  #events: ReadableStreamDefaultController<Uint8Array> | undefined;
  #limitBytes: number;
  #size = 0;
  #pauseAtBytes = pieceBytes;
  #resumable = false;
  #over = false;

  constructor(reading: Reading, signal: AbortSignal | undefined, settled: Settled) {
    this.#reading = reading;
    this.#signal = signal;
    this.#settled = settled;
    this.#limitBytes = reading.limitBytes;
    signal?.addEventListener('abort', this.#left);
  }

  onRequestStart(control: Dispatcher.DispatchController): void {
    this.#control = control;
    if (this.#over) control.abort(new Error('nobody waits for it any more'));
  }

  onResponseStart(_control: Dispatcher.DispatchController, status: number, headers: Told): void {
    if (status < 200 || this.#over) return;
    try {
      this.#begin(status, headers);
    } catch (error) {
      this.#fail(error);
    }
  }

  #begin(status: number, headers: Told): void {
    this.#reading.demandStatus(status);
    const head = { status, headers: this.#keptOf(headers) };
    this.#head = head;
    const { mostBytes = Number.POSITIVE_INFINITY } = this.#reading;
    if (status < 300) this.#limitBytes = Math.min(this.#limitBytes, mostBytes);
    if (emptyStatuses.includes(status)) return;
    if (Number(headers['content-length'] ?? 0) > this.#limitBytes) throw this.#tooLarge();
    const isEvents = head.headers['content-type']?.startsWith('text/event-stream');
    if (isEvents) this.#settled.resolve({ ...head, body: this.#eventStream() });
  }

  onResponseData(control: Dispatcher.DispatchController, chunk: Buffer): void {
    // A parser that goes on after a pause begins with nothing.
    if (this.#over || chunk.length === 0) return;
    const end = this.#events ? lastEnd(chunk) : -1;
    this.#size = end < 0 ? this.#size + chunk.length : chunk.length - end;
    if (this.#size > this.#limitBytes) this.#fail(this.#tooLarge());
    else if (this.#events) this.#hand(this.#events, chunk, control);
    else this.#keep(chunk, control);
  }

  #keep(chunk: Buffer, control: Dispatcher.DispatchController): void {
    this.#chunks.push(chunk);
    if (this.#size < this.#pauseAtBytes) return;
    this.#pauseAtBytes = this.#size + pieceBytes;
    control.pause();
    setTimeout(() => control.resume(), pauseMs);
  }

  #hand(
    events: ReadableStreamDefaultController<Uint8Array>,
    chunk: Buffer,
    control: Dispatcher.DispatchController,
  ): void {
    this.#resumable ||= chunk.includes('id:');
    events.enqueue(chunk);
    if ((events.desiredSize ?? 0) <= 0) control.pause();
  }

  onResponseEnd(): void {
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
      pull: () => this.#control?.resume(),
      cancel: () => {
        if (this.#over) return;
        this.#end();
        this.#control?.abort(new Error('nobody reads it any more'));
      },
    };
    return new ReadableStream(source, { highWaterMark: aheadBytes, size: ({ byteLength }) => byteLength });
  }

  #text(): string {
    const [first, ...others] = this.#chunks;
    const whole = first && others.length === 0 ? first : Buffer.concat(this.#chunks, this.#size);
    const text = whole.toString('utf8');
    return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
  }

  #keptOf(headers: Told): Record<string, string> {
    const kept: Record<string, string> = {};
    for (const name of this.#reading.keptHeaders) {
      const value = headers[name];
      if (value !== undefined) kept[name] = String(value);
    }
    return kept;
  }

  #tooLarge(): Error {
    const limit_mb = Math.round(this.#limitBytes / 10_000) / 100;
    return vpError('UPSTREAM_ANSWER_TOO_LARGE', { connection: this.#reading.host, limit_mb });
  }

  #end(): void {
    this.#over = true;
    this.#signal?.removeEventListener('abort', this.#left);
  }

  /** Tells whoever waits or reads, and ends the request where it goes on. */
  #fail(problem: unknown): void {
    if (this.#over) return;
    this.#end();
    this.#chunks.length = 0;
    if (this.#events) {
      this.#events.error(problem);
      this.#reading.onStreamEnd?.(problem, false);
    } else this.#settled.reject(problem);
    this.#control?.abort(problem instanceof Error ? problem : new Error('broken off'));
  }
}

/** Where the last event of the chunk ends; -1 when none does. Lines may end with CR LF. */
function lastEnd(chunk: Buffer): number {
  let at = chunk.lastIndexOf(newline);
  while (at > 0) {
    const before = chunk[at - 1] === 13 ? at - 2 : at - 1;
    if (chunk[before] === newline) return at + 1;
    at = chunk.lastIndexOf(newline, at - 1);
  }
  return -1;
}
