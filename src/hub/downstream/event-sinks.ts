/**
 * Where the events of a stream go: to a response of node:http, which costs least, or to a web response. Until one of them is
 * chosen the events are held.
 */
import type { ServerResponse } from 'node:http';
import { minTrackedBytes } from '../access/unread-responses.ts';

export type EventSink = {
  /** What the client has not read yet. */
  readonly unreadBytes: number;
  write(text: string): void;
  /** Sends what was written, where that waits for more. */
  flush(): void;
  /** Ends the stream after what was written. */
  end(): void;
  /** Discards what was not read. */
  fail(): void;
};

const encoder = new TextEncoder();
const bufferedBytes = 16_384;

export class HeldEvents implements EventSink {
  readonly #texts: string[] = [];
  #unreadBytes = 0;
  #finish: ((sink: EventSink) => void) | undefined;

  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  write(text: string): void {
    this.#texts.push(text);
    this.#unreadBytes += Buffer.byteLength(text);
  }

  flush(): void {}

  end(): void {
    this.#finish = (sink) => sink.end();
  }

  fail(): void {
    this.#finish = (sink) => sink.fail();
  }

  moveTo(sink: EventSink): void {
    for (const text of this.#texts.splice(0)) sink.write(text);
    this.#unreadBytes = 0;
    this.#finish?.(sink);
  }
}

/** `onLeft` is called when the client has left. */
export function createWebSink(onLeft: () => void): { readonly sink: EventSink; readonly body: ReadableStream } {
  let open: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        open = controller;
      },
      cancel() {
        open = undefined;
        onLeft();
      },
    },
    { highWaterMark: bufferedBytes, size: ({ byteLength }) => byteLength },
  );
  const sink: EventSink = {
    get unreadBytes() {
      return bufferedBytes - (open?.desiredSize ?? bufferedBytes);
    },
    write: (text) => open?.enqueue(encoder.encode(text)),
    flush() {},
    end() {
      open?.close();
      open = undefined;
    },
    // The end of the stream would keep what was not read.
    fail() {
      open?.error(new Error('the client does not read'));
      open = undefined;
    },
  };
  return { sink, body };
}

export type NodeSinkOptions = {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** How long an event waits for others, so that they are sent together; 0 sends each at once. */
  readonly maxDelayMs: number;
  /** Called when the client has left. */
  onLeft(): void;
  /** Called, also repeatedly, while the client has not read much. */
  readonly onUnread?: ((output: ServerResponse) => void) | undefined;
};

/**
 * A response of node:http. Sends the head with the first events. What waits is one text, so that it costs one write; a stream that
 * ends before anything of it was sent is a body of known length, and leaves with its head.
 *
 * Rejected: functions that share variables. With them each collection of new objects took 6 ms in place of 1.3 at 16 calls with
 * progress at a time, because responses that had ended were copied as well (measured; the cause within V8 is not known).
 */
export class NodeSink implements EventSink {
  readonly #outgoing: ServerResponse;
  readonly #options: NodeSinkOptions;
  #isOpen: boolean;
  #hasHead = false;
  #waiting = '';
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(outgoing: ServerResponse, options: NodeSinkOptions) {
    this.#outgoing = outgoing;
    this.#options = options;
    this.#isOpen = !outgoing.destroyed;
    if (!this.#isOpen) {
      options.onLeft();
      return;
    }
    outgoing.on('close', () => this.#close() && options.onLeft());
    // A broken connection is noticed by its end.
    outgoing.on('error', ignore);
  }

  get unreadBytes(): number {
    return this.#outgoing.writableLength + this.#waitingBytes;
  }

  write(text: string): void {
    if (!this.#isOpen || this.#outgoing.destroyed) return;
    const { maxDelayMs } = this.#options;
    const isWaiting = maxDelayMs > 0 && text.length < bufferedBytes;
    if (isWaiting) {
      this.#waiting += text;
      this.#waitingBytes += Buffer.byteLength(text);
      this.#timer ??= setTimeout(() => this.flush(), maxDelayMs);
    }
    if (!isWaiting || this.#waitingBytes >= bufferedBytes) this.flush();
    if (!isWaiting) this.#send(text);
  }

  flush(): void {
    const text = this.#takeWaiting();
    if (text !== '' && !this.#outgoing.destroyed) this.#send(text);
  }

  /** Sends the head of the response at once, instead of with the first events. */
  sendHead(): void {
    if (!this.#isOpen || this.#hasHead) return;
    this.#writeHead();
    this.#outgoing.flushHeaders();
  }

  /** The last events and the end of the body are one packet. */
  end(): void {
    if (!this.#close() || this.#outgoing.destroyed) return;
    this.#writeHead(['Content-Length', String(this.#waitingBytes)]);
    this.#outgoing.end(this.#takeWaiting());
  }

  fail(): void {
    if (this.#close()) this.#outgoing.destroy();
  }

  #writeHead(more: readonly string[] = []): void {
    if (!this.#hasHead) this.#outgoing.writeHead(200, [...this.#options.headers, ...more]);
    this.#hasHead = true;
  }

  #takeWaiting(): string {
    const text = this.#waiting;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = '';
    this.#waitingBytes = 0;
    return text;
  }

  #send(text: string): void {
    this.#writeHead();
    this.#outgoing.write(text);
    if (this.#outgoing.writableLength >= minTrackedBytes) this.#options.onUnread?.(this.#outgoing);
  }

  /** True if it was open. */
  #close(): boolean {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    return wasOpen;
  }
}

function ignore(): void {}
