/**
 * The event stream that answers one request. In a session its events have ids and are retained within bounds, so that a client
 * whose connection broke gets the rest with a GET and `Last-Event-ID` (2025-11-25, transports, resumability).
 */
import { ListenerStream } from './listener-stream.ts';
import { StreamReply } from './mcp-http.ts';

type RetainedEvent = { readonly sequence: number; readonly message: string };

export type Resumption = {
  /** Unique among the streams of a session. */
  readonly streamNumber: number;
  readonly sessionId: string;
  /** True if the client accepts an event without data, which tells it where to continue. */
  readonly hasPriming: boolean;
  /** Called once, when the response is known. */
  onComplete(): void;
};

/** The progress of a quick call and its response are one packet. */
const maxDelayMs = 2;
const maxRetainedEvents = 100;
const maxRetainedLength = 262_144;
/** A response is retained up to this length, or a smaller one if the client has probably received it. */
const maxUndeliveredLength = 16 * 1024 * 1024;
const maxDeliveredLength = 262_144;

export class ResponseStream {
  readonly #resumption: Resumption | undefined;
  #onBroken: (() => void) | undefined;
  readonly #retained: RetainedEvent[] = [];
  #listener: ListenerStream;
  #retainedLength = 0;
  #lastSequence = 0;
  #isComplete = false;
  #isResumed = false;

  /** `onBroken` is called when the client has left before the stream was complete. */
  constructor(resumption: Resumption | undefined, onBroken: () => void) {
    this.#resumption = resumption;
    this.#onBroken = onBroken;
    this.#listener = this.#createListener();
    if (resumption?.hasPriming) this.#prime();
  }

  /** The reply on the current connection. */
  get reply(): StreamReply {
    return new StreamReply(this.#listener);
  }

  get isConnected(): boolean {
    return !this.#listener.isClosed;
  }

  /** True if the client has come back on another connection. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  get isResumable(): boolean {
    return this.#resumption !== undefined;
  }

  get unreadBytes(): number {
    return this.#listener.unreadBytes;
  }

  /** The length of what is retained, in characters. */
  get retainedLength(): number {
    return this.#retainedLength;
  }

  send(message: string): void {
    this.#lastSequence += 1;
    if (this.#resumption) {
      this.#retain(message);
      while (this.#retained.length > maxRetainedEvents || this.#retainedLength > maxRetainedLength) this.#dropFirst();
    }
    this.#listener.send(message, this.#formatId(this.#lastSequence));
  }

  /** Sends at once what waits for further messages. */
  flush(): void {
    this.#listener.flush();
  }

  sendHeartbeat(): void {
    this.#listener.sendHeartbeat();
  }

  /** Ends the stream, with the response if there is one. */
  complete(response?: string): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    // It holds the call, and a complete stream may be retained for minutes.
    this.#onBroken = undefined;
    if (response !== undefined) {
      this.#lastSequence += 1;
      const maxLength = this.isConnected ? maxDeliveredLength : maxUndeliveredLength;
      if (this.#resumption && response.length <= maxLength) this.#retain(response);
      this.#listener.send(response, this.#formatId(this.#lastSequence));
    }
    this.#listener.close();
    this.#resumption?.onComplete();
  }

  /** The connection broke; what follows is retained. */
  disconnect(): void {
    this.#listener.close();
  }

  /** Continues on a new connection after an event; undefined if the stream has never sent it. */
  resume(sequence: number): StreamReply | undefined {
    if (!this.#resumption || sequence > this.#lastSequence) return undefined;
    const previous = this.#listener;
    this.#isResumed = true;
    this.#listener = this.#createListener();
    previous.close();
    const missed = this.#retained.filter((event) => event.sequence > sequence);
    for (const event of missed) this.#listener.send(event.message, this.#formatId(event.sequence));
    if (this.#isComplete) this.#listener.close();
    else if (missed.length === 0 && this.#resumption.hasPriming) this.#prime();
    return this.reply;
  }

  #createListener(): ListenerStream {
    const headers: Record<string, string> = this.#resumption ? { 'Mcp-Session-Id': this.#resumption.sessionId } : {};
    const listener: ListenerStream = new ListenerStream(
      () => {
        if (this.#listener === listener) this.#onBroken?.();
      },
      headers,
      // A response is never dropped: the reader's pace is the connection's.
      { maxUnreadBytes: Number.POSITIVE_INFINITY, maxDelayMs },
    );
    return listener;
  }

  #prime(): void {
    this.#lastSequence += 1;
    this.#listener.prime(this.#formatId(this.#lastSequence) ?? '');
  }

  #retain(message: string): void {
    this.#retained.push({ sequence: this.#lastSequence, message });
    this.#retainedLength += message.length;
  }

  #dropFirst(): void {
    this.#retainedLength -= this.#retained.shift()?.message.length ?? 0;
  }

  #formatId(sequence: number): string | undefined {
    return this.#resumption && `${this.#resumption.streamNumber}.${sequence}`;
  }
}
