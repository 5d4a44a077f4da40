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

/** Sends the head of the response with the first event. */
export function createNodeSink(
  outgoing: ServerResponse,
  { headers, maxDelayMs, onLeft, onUnread }: NodeSinkOptions,
): EventSink {
  let isOpen = !outgoing.destroyed;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    if (!timer) return;
    clearTimeout(timer);
    timer = undefined;
    outgoing.uncork();
  };
  const close = (): boolean => {
    const wasOpen = isOpen;
    isOpen = false;
    clearTimeout(timer);
    return wasOpen;
  };
  const write = (text: string): void => {
    if (maxDelayMs > 0 && !timer) {
      outgoing.cork();
      timer = setTimeout(flush, maxDelayMs);
    }
    outgoing.write(text);
    if (outgoing.writableLength >= minTrackedBytes) onUnread?.(outgoing);
  };
  /** The last events and the end of the body are one packet. */
  const end = (): void => {
    outgoing.socket?.cork();
    if (timer) outgoing.uncork();
    outgoing.end();
  };
  if (isOpen) {
    outgoing.once('close', () => close() && onLeft());
    // A broken connection is noticed by its end.
    outgoing.on('error', () => {});
    outgoing.writeHead(200, [...headers]);
  } else onLeft();
  return {
    get unreadBytes() {
      return outgoing.writableLength;
    },
    write: (text) => isOpen && !outgoing.destroyed && write(text),
    flush,
    end: () => close() && !outgoing.destroyed && end(),
    fail: () => close() && outgoing.destroy(),
  };
}
