/** A large body of a web response, given slice by slice as its client reads, so that it is known how much is unread. */
import { EventEmitter } from 'node:events';

const sliceBytes = 65_536;

export class SlicedBody extends EventEmitter<{ close: [] }> {
  readonly stream: ReadableStream<Uint8Array>;
  #bytes: Uint8Array;
  #isClosed = false;

  constructor(bytes: Uint8Array) {
    super();
    this.#bytes = bytes;
    this.stream = new ReadableStream({ pull: (controller) => this.#pull(controller), cancel: () => this.#close() });
  }

  get writableLength(): number {
    return this.#bytes.length;
  }

  get closed(): boolean {
    return this.#isClosed;
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
