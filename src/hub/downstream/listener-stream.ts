/** A stream of events to a client that listens, for as long as it does. A client that does not read is disconnected. */
import { formatEvent, heartbeatComment } from '../../streams/event-stream.ts';

type EventId = string | number;

const encoder = new TextEncoder();
/** Limit for unread events of a client. It can listen again, and receives missed events if its revision supports that. */
const maxUnreadBytes = 262_144;
const bufferedBytes = 16_384;

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

const streams = new WeakMap<Response, ListenerStream>();

/** The stream of a response that lasts until the client leaves; undefined for other responses. */
export function findListenerStream(response: Response): ListenerStream | undefined {
  return streams.get(response);
}

export class ListenerStream {
  readonly response: Response;
  readonly #onClosed: () => void;
  readonly #maxUnreadBytes: number;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** `onClosed` is called once, when the client has left or was disconnected. */
  constructor(
    onClosed: () => void,
    extraHeaders: Readonly<Record<string, string>> = {},
    maxUnread: number = maxUnreadBytes,
  ) {
    this.#onClosed = onClosed;
    this.#maxUnreadBytes = maxUnread;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#controller = undefined;
          onClosed();
        },
      },
      { highWaterMark: bufferedBytes, size: ({ byteLength }) => byteLength },
    );
    this.response = new Response(body, { headers: { ...headers, ...extraHeaders } });
    streams.set(this.response, this);
  }

  get isClosed(): boolean {
    return this.#controller === undefined;
  }

  /** What the client has not read yet. */
  get unreadBytes(): number {
    return bufferedBytes - (this.#controller?.desiredSize ?? bufferedBytes);
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

  /** Ends the stream after what was sent. */
  close(): void {
    const controller = this.#controller;
    if (!controller) return;
    this.#controller = undefined;
    controller.close();
    this.#onClosed();
  }

  #write(text: string): void {
    const controller = this.#controller;
    if (!controller) return;
    if (this.unreadBytes <= this.#maxUnreadBytes) {
      controller.enqueue(encoder.encode(text));
      return;
    }
    this.#controller = undefined;
    // An error discards what was not read; the end of the stream would keep it.
    controller.error(new Error('the client does not read'));
    this.#onClosed();
  }
}
