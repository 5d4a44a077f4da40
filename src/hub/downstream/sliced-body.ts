/** A large body of a web response, given slice by slice as its client reads, so that it is known how much is unread. */
import { EventEmitter } from 'node:events';

const sliceBytes = 65_536;

export class SlicedBody extends EventEmitter<{ close: [] }> {
  readonly stream: ReadableStream<Uint8Array>;
  #bytes: Uint8Array;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isClosed = false;

  constructor(bytes: Uint8Array) {
    super();
    this.#bytes = bytes;
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#close(),
    });
  }

  get writableLength(): number {
    return this.#bytes.length;
  }

  get closed(): boolean {
    return this.#isClosed;
  }

  /** Its client sees a connection that broke. */
  destroy(): void {
    if (this.#isClosed) return;
    this.#controller?.error(new Error('the client did not read its response'));
    this.#close();
  }

  #pull(controller: ReadableStreamDefaultController<Uint8Array>): void {
    controller.enqueue(this.#bytes.subarray(0, sliceBytes));
    this.#bytes = this.#bytes.subarray(sliceBytes);
    if (this.#bytes.length > 0) return;
    controller.close();
    this.#close();
  }

  #close(): void {
    this.#bytes = this.#bytes.subarray(this.#bytes.length);
    this.#isClosed = true;
    this.emit('close');
  }
}
