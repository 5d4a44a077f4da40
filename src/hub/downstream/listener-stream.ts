/** A stream of events to a client that listens, for as long as it does. A client that does not read is disconnected. */
import type { ServerResponse } from 'node:http';
import { formatEvent, heartbeatComment } from '../../streams/event-stream.ts';
import { createWebSink, type EventSink, HeldEvents, NodeSink } from './event-sinks.ts';

type EventId = string | number;

/** Limit for unread events of a client. It can listen again, and receives missed events if its revision supports that. */
const maxUnreadBytes = 262_144;

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};
/** Names and values in turn. */
const headerList: readonly string[] = Object.entries(headers).flat();

export type StreamLimits = {
  /** The default is for clients that can listen again. */
  readonly maxUnreadBytes?: number;
  /** How long an event may wait for others, so that they are sent together; 0 by default. */
  readonly maxDelayMs?: number;
};

export class ListenerStream {
  readonly #onClosed: () => void;
  readonly #extraHeaders: Readonly<Record<string, string>>;
  readonly #maxUnreadBytes: number;
  readonly #maxDelayMs: number;
  readonly #held = new HeldEvents();
  #sink: EventSink = this.#held;
  #response: Response | undefined;
  #isClosed = false;

  /** `onClosed` is called once, when the client has left or was disconnected. */
  constructor(
    onClosed: () => void,
    extraHeaders: Readonly<Record<string, string>> = {},
    { maxUnreadBytes: maxUnread = maxUnreadBytes, maxDelayMs = 0 }: StreamLimits = {},
  ) {
    this.#onClosed = onClosed;
    this.#extraHeaders = extraHeaders;
    this.#maxUnreadBytes = maxUnread;
    this.#maxDelayMs = maxDelayMs;
  }

  /** The stream as a web response; not for one that is written to a response of node:http. */
  get response(): Response {
    if (this.#response) return this.#response;
    const { sink, body } = createWebSink(() => this.leave());
    this.#response = new Response(body, { headers: { ...headers, ...this.#extraHeaders } });
    this.#moveTo(sink);
    return this.#response;
  }

  /** Once, and not for a stream whose `response` was read. `moreHeaders` are names and values in turn. */
  writeTo(
    outgoing: ServerResponse,
    moreHeaders: readonly string[] = [],
    onUnread?: (output: ServerResponse) => void,
  ): void {
    const streamHeaders = [...moreHeaders, ...headerList, ...Object.entries(this.#extraHeaders).flat()];
    const onLeft = (): void => this.leave();
    const sink = new NodeSink(outgoing, {
      headers: streamHeaders,
      maxDelayMs: this.#maxDelayMs,
      onLeft,
      onUnread,
    });
    this.#moveTo(sink);
    // The client learns at once that it listens, although there may be nothing to say. What waits brings the head with it.
    if (!this.#isClosed && sink.unreadBytes === 0) sink.sendHead();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What the client has not read yet. */
  get unreadBytes(): number {
    return this.#sink.unreadBytes;
  }

  /** Sends a JSON-RPC message; `id` lets the client continue after it. */
  send(message: string, id?: EventId): void {
    this.#write(formatEvent({ id, type: 'message', data: message }));
  }

  /** Tells the client an id from which it can continue. */
  prime(id: EventId): void {
    this.#write(formatEvent({ id, data: '' }));
  }

  sendHeartbeat(): void {
    this.#write(heartbeatComment);
  }

  /** Sends what waits for other events. */
  flush(): void {
    this.#sink.flush();
  }

  /** Ends the stream after what was sent. */
  close(): void {
    if (this.#isClosed) return;
    this.#sink.end();
    this.leave();
  }

  /** The client has left, or will not get the stream. */
  leave(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#releaseSink();
    this.#onClosed();
  }

  #moveTo(sink: EventSink): void {
    this.#sink = sink;
    this.#held.moveTo(sink);
    if (this.#isClosed) this.#releaseSink();
  }

  /** A stream is retained for some minutes after its end, and its response holds the request with its body. */
  #releaseSink(): void {
    this.#sink = this.#held;
  }

  #write(text: string): void {
    if (this.#isClosed) return;
    if (this.unreadBytes <= this.#maxUnreadBytes) {
      this.#sink.write(text);
      return;
    }
    this.#sink.fail();
    this.leave();
  }
}
