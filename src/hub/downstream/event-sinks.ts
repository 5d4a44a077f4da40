/**
 * Where the events of a stream go: to a response of node:http, which costs least, or to a web response. Until one of them is
 * chosen the events are held.
 */
import type { ServerResponse } from 'node:http';

export type EventSink = {
  /** What the client has not read yet. */
  readonly unreadBytes: number;
  write(text: string): void;
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

/** Sends the head of the response. `onLeft` is called when the client has left. */
export function createNodeSink(
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
  onLeft: () => void,
): EventSink {
  let isOpen = !outgoing.destroyed;
  const close = (): boolean => {
    const wasOpen = isOpen;
    isOpen = false;
    return wasOpen;
  };
  if (isOpen) {
    outgoing.once('close', () => close() && onLeft());
    // A broken connection is noticed by its end.
    outgoing.on('error', () => {});
    outgoing.writeHead(200, headers);
  } else onLeft();
  return {
    get unreadBytes() {
      return outgoing.writableLength;
    },
    write: (text) => isOpen && !outgoing.destroyed && outgoing.write(text),
    end: () => close() && !outgoing.destroyed && outgoing.end(),
    fail: () => close() && outgoing.destroy(),
  };
}
