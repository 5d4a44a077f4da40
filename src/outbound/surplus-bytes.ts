/**
 * Counts what a target sends behind the end of its response. undici drops it with the connection, and a client must not take it
 * for a response (RFC 9112 section 6.3), but a length that is too small may have cut the body. Only what arrives together with
 * the response is counted: nothing is waited for.
 */
import type { Socket } from 'node:net';

/** Undefined where the end is known from something else: chunks, or the end of the connection. */
export type ContentLength = number | undefined;

const [lineFeed, carriageReturn, one] = Buffer.from('\n\r1');
/** The first digit of the status, behind `HTTP/1.1 `. */
const statusPosition = 9;

/** Follows the bytes that are read from one connection. */
export class ResponseByteCounter {
  /** In the head: bytes of this response so far, and line feeds in a row. */
  #headBytes = 0;
  #lineFeeds = 0;
  #isInterim = false;
  #isBody = false;
  #bodyBytes = 0;

  /** For a socket that undici is about to read: it reads by `read()`. */
  follow(socket: Socket): void {
    const read = socket.read.bind(socket);
    this.restart();
    Object.assign(socket, {
      read: (size?: number): unknown => {
        const chunk: unknown = read(size);
        if (chunk instanceof Buffer) this.#count(chunk);
        return chunk;
      },
    });
  }

  /** A request is about to leave: what comes next is the response to it. */
  restart(): void {
    this.#startHead();
    this.#bodyBytes = 0;
  }

  /** How many bytes more than the body had arrived when the response was complete. */
  countSurplus(length: ContentLength): number {
    return this.#isBody && length !== undefined ? Math.max(0, this.#bodyBytes - length) : 0;
  }

  #startHead(): void {
    this.#headBytes = 0;
    this.#lineFeeds = 0;
    this.#isInterim = false;
    this.#isBody = false;
  }

  #count(chunk: Buffer): void {
    let index = 0;
    while (index < chunk.length && !this.#isBody) {
      this.#followHead(chunk[index]);
      index += 1;
    }
    this.#bodyBytes += chunk.length - index;
  }

  #followHead(byte: number | undefined): void {
    if (this.#headBytes === statusPosition) this.#isInterim = byte === one;
    this.#headBytes += 1;
    if (byte === carriageReturn) return;
    this.#lineFeeds = byte === lineFeed ? this.#lineFeeds + 1 : 0;
    if (this.#lineFeeds < 2) return;
    if (this.#isInterim) this.#startHead();
    else this.#isBody = true;
  }
}
