/** The streams of responses in a session, which clients may resume; how much is retained of them is bounded over all sessions. */
import { InFlightMap } from '../../collections/in-flight.ts';
import type { Clock } from '../../environment/clock.ts';
import type { StreamReply } from './mcp-http.ts';
import { ResponseStream } from './response-stream.ts';
import { hasPrimingEvent } from './revisions.ts';

/** A complete stream, which can be dropped to make room. */
type CompleteStream = { readonly length: number; readonly completedAtMs: number; drop(): void };

const maxAgeMs = 5 * 60_000;
const maxTotalLength = 32 * 1024 * 1024;
const maxPerSession = 32;

/** The complete streams of all sessions. */
export class StreamRetention {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** The oldest first. */
  readonly #complete = new Set<CompleteStream>();
  #totalLength = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Returns a function that forgets the stream; `drop` is called if it has to make room, or is too old. */
  add(length: number, drop: () => void): () => void {
    const stream: CompleteStream = { length, completedAtMs: this.#clock.monotonicMs(), drop };
    this.#complete.add(stream);
    this.#totalLength += length;
    for (const oldest of this.#complete) {
      if (this.#totalLength <= maxTotalLength) break;
      this.#drop(oldest);
    }
    return () => this.#remove(stream);
  }

  dropOutdated(): void {
    const completedBeforeMs = this.#clock.monotonicMs() - maxAgeMs;
    for (const stream of this.#complete) {
      if (stream.completedAtMs > completedBeforeMs) break;
      this.#drop(stream);
    }
  }

  #drop(stream: CompleteStream): void {
    this.#remove(stream);
    stream.drop();
  }

  #remove(stream: CompleteStream): void {
    if (this.#complete.delete(stream)) this.#totalLength -= stream.length;
  }
}

export class SessionStreams {
  readonly #session: { readonly id: string; readonly revision: string };
  readonly #retention: StreamRetention;
  readonly #streams = new InFlightMap<number, ResponseStream>();
  /** How to forget complete streams, the oldest first. */
  readonly #complete = new Map<number, () => void>();
  #count = 0;

  constructor(session: { readonly id: string; readonly revision: string }, retention: StreamRetention) {
    this.#session = session;
    this.#retention = retention;
  }

  /** A stream for one response. `onBroken` is called when its client has left before it was complete. */
  open(onBroken: () => void): ResponseStream {
    const { id: sessionId, revision } = this.#session;
    this.#count += 1;
    const streamNumber = this.#count;
    const onComplete = (): void => this.#retain(streamNumber, stream);
    const stream = new ResponseStream(
      { streamNumber, sessionId, hasPriming: hasPrimingEvent(revision), onComplete },
      onBroken,
    );
    this.#streams.set(streamNumber, stream);
    return stream;
  }

  /** True for ids of events of these streams, whether they are retained or not. */
  isEventId(lastEventId: string): boolean {
    return /^\d{1,15}\.\d{1,15}$/.test(lastEventId);
  }

  /** What follows an event on its stream; undefined if the stream is not retained any more. */
  resume(lastEventId: string): StreamReply | undefined {
    const [streamNumber, sequence] = lastEventId.split('.').map(Number);
    return this.#streams.get(streamNumber ?? 0)?.resume(sequence ?? 0);
  }

  close(): void {
    for (const forget of this.#complete.values()) forget();
    this.#complete.clear();
    for (const stream of this.#streams.values()) stream.disconnect();
    this.#streams.clear();
  }

  #retain(streamNumber: number, stream: ResponseStream): void {
    if (!this.#streams.has(streamNumber)) return;
    const forget = this.#retention.add(stream.retainedLength, () => this.#forget(streamNumber));
    if (!this.#streams.has(streamNumber)) return;
    this.#complete.set(streamNumber, forget);
    const [oldest] = this.#complete.keys();
    if (this.#complete.size > maxPerSession && oldest !== undefined) this.#forget(oldest);
  }

  #forget(streamNumber: number): void {
    this.#complete.get(streamNumber)?.();
    this.#complete.delete(streamNumber);
    this.#streams.delete(streamNumber);
  }
}
