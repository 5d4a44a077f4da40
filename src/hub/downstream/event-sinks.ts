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

/** A response of node:http. */
export type NodeSink = EventSink & {
  /** Sends the head of the response at once, instead of with the first events. */
  sendHead(): void;
};

/**
 * Sends the head of the response with the first events. What waits is one text, so that it costs one write; a stream that ends
 * before anything of it was sent is a body of known length, and leaves with its head.
 */
export function createNodeSink(
  outgoing: ServerResponse,
  { headers, maxDelayMs, onLeft, onUnread }: NodeSinkOptions,
): NodeSink {
  let isOpen = !outgoing.destroyed;
  let hasHead = false;
  let waiting = '';
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const writeHead = (more: readonly string[] = []): void => {
    if (!hasHead) outgoing.writeHead(200, [...headers, ...more]);
    hasHead = true;
  };
  const takeWaiting = (): string => {
    const text = waiting;
    clearTimeout(timer);
    timer = undefined;
    waiting = '';
    waitingBytes = 0;
    return text;
  };
  const send = (text: string): void => {
    writeHead();
    outgoing.write(text);
    if (outgoing.writableLength >= minTrackedBytes) onUnread?.(outgoing);
  };
  const flush = (): void => {
    const text = takeWaiting();
    if (text !== '' && !outgoing.destroyed) send(text);
  };
  const close = (): boolean => {
    const wasOpen = isOpen;
    isOpen = false;
    clearTimeout(timer);
    return wasOpen;
  };
  const write = (text: string): void => {
    const isWaiting = maxDelayMs > 0 && text.length < bufferedBytes;
    if (isWaiting) {
      waiting += text;
      waitingBytes += Buffer.byteLength(text);
      timer ??= setTimeout(flush, maxDelayMs);
    }
    if (!isWaiting || waitingBytes >= bufferedBytes) flush();
    if (!isWaiting) send(text);
  };
  /** The last events and the end of the body are one packet. */
  const end = (): void => {
    writeHead(['Content-Length', String(waitingBytes)]);
    outgoing.end(takeWaiting());
  };
  if (isOpen) {
    outgoing.on('close', () => close() && onLeft());
    // A broken connection is noticed by its end.
    outgoing.on('error', () => {});
  } else onLeft();
  return {
    get unreadBytes() {
      return outgoing.writableLength + waitingBytes;
    },
    write: (text) => isOpen && !outgoing.destroyed && write(text),
    flush,
    sendHead() {
      if (!isOpen || hasHead) return;
      writeHead();
      outgoing.flushHeaders();
    },
    end: () => close() && !outgoing.destroyed && end(),
    fail: () => close() && outgoing.destroy(),
  };
}
