/**
 * The messages to the client of a session that belong to no request, such as a changed list. The latest ones are retained,
 * so that a client whose stream broke continues after the last one that it has received (`Last-Event-ID`).
 */
import { ListenerStream } from './listener-stream.ts';
import { StreamReply } from './mcp-http.ts';
import { hasPrimingEvent } from './revisions.ts';

type RetainedEvent = { readonly id: number; readonly message: string };

const maxRetainedEvents = 100;
const maxRetainedLength = 32_768;
/** For a client that has not listened yet. */
const maxUnheardLength = 8192;

export type StreamOptions = {
  readonly sessionId: string;
  readonly revision: string;
  readonly lastEventId: string | null;
  /** Messages that replace those that are not retained any more. */
  createRefresh(): readonly string[];
  /** Called once, when the stream has ended. */
  readonly onClosed?: () => void;
};

export class SessionEvents {
  #stream: ListenerStream | undefined;
  readonly #retained: RetainedEvent[] = [];
  #retainedLength = 0;
  /** Ids are given once in a session, to all of its streams. */
  #lastId = 0;
  #sentId = 0;
  /** The last event that is not retained any more. */
  #droppedId = 0;
  #hasListened = false;
  readonly #isOpening: () => boolean;

  /** Clients open their stream beside their first requests: until they listen, messages are retained while `isOpening` is true. */
  constructor(isOpening: () => boolean = () => false) {
    this.#isOpening = isOpening;
  }

  get isListening(): boolean {
    return this.#stream !== undefined;
  }

  send(message: string): void {
    if (!this.#hasListened && !this.#isOpening()) {
      this.#forgetRetained();
      return;
    }
    this.#lastId += 1;
    this.#retain({ id: this.#lastId, message });
    this.#write(message, this.#lastId);
  }

  sendHeartbeat(): void {
    this.#stream?.sendHeartbeat();
  }

  /**
   * A new stream replaces the last one, which may be broken without our knowledge. It starts with what was sent after
   * `lastEventId`, otherwise with what was sent while there was no listener.
   */
  listen({ sessionId, revision, lastEventId, createRefresh, onClosed }: StreamOptions): StreamReply {
    this.#stream?.close();
    const stream = new ListenerStream(
      () => {
        if (this.#stream === stream) this.#stream = undefined;
        onClosed?.();
      },
      { 'Mcp-Session-Id': sessionId },
    );
    this.#stream = stream;
    this.#hasListened = true;
    const afterId = lastEventId === null ? this.#sentId : this.#parseRetainedId(lastEventId);
    const missed = this.#retained.filter(({ id }) => id > (afterId ?? this.#lastId));
    for (const { id, message } of missed) this.#write(message, id);
    if (afterId === undefined) for (const message of createRefresh()) this.send(message);
    else if (missed.length === 0 && hasPrimingEvent(revision)) this.#prime(stream);
    return new StreamReply(stream);
  }

  stopListening(): void {
    this.#stream?.close();
  }

  close(): void {
    this.#stream?.close();
    this.#forgetRetained();
  }

  #forgetRetained(): void {
    this.#retained.length = 0;
    this.#retainedLength = 0;
    this.#droppedId = this.#lastId;
  }

  /** Undefined if events after this id are lost. */
  #parseRetainedId(lastEventId: string): number | undefined {
    const id = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : undefined;
    return id !== undefined && id >= this.#droppedId && id <= this.#lastId ? id : undefined;
  }

  #prime(stream: ListenerStream): void {
    this.#lastId += 1;
    this.#sentId = this.#lastId;
    stream.prime(this.#lastId);
  }

  #retain(event: RetainedEvent): void {
    this.#retained.push(event);
    this.#retainedLength += event.message.length;
    const maxLength = this.#hasListened ? maxRetainedLength : maxUnheardLength;
    while (this.#retained.length > maxRetainedEvents || this.#retainedLength > maxLength) {
      const dropped = this.#retained.shift();
      if (!dropped) return;
      this.#retainedLength -= dropped.message.length;
      this.#droppedId = dropped.id;
    }
  }

  #write(message: string, id: number): void {
    if (!this.#stream) return;
    this.#sentId = id;
    this.#stream.send(message, id);
  }
}
