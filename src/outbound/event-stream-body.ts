/** What gets the event stream of a response; one is a stream of the web, with back-pressure. */

/** Gets an event stream as it arrives: a stream of the web and its reader cost a fifth of a call. */
export type EventConsumer = {
  /** Returns false if it needs no more; must not throw. */
  onBytes(bytes: Uint8Array): boolean;
  /** True if it cannot take more for now. */
  readonly isFull?: boolean;
  /** Calls `listener` when a full one can take more, or needs no more; one that resumes its reader itself has none. */
  onceReady?(listener: () => void): void;
  /** Called once unless `onBytes` has returned false. `problem` is undefined after a regular end. */
  onEnd(problem: unknown): void;
};

/** How much of a stream is read before its reader asks for more. */
const readAheadBytes = 65_536;

export class EventStreamBody implements EventConsumer {
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** `onPull` is called when the reader wants more, `onCancel` when it has gone. */
  constructor(onPull: () => void, onCancel: () => void) {
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        this.#controller = controller;
      },
      pull: onPull,
      cancel: onCancel,
    };
    const strategy = { highWaterMark: readAheadBytes, size: ({ byteLength }: Uint8Array) => byteLength };
    this.stream = new ReadableStream(source, strategy);
  }

  get isFull(): boolean {
    return (this.#controller?.desiredSize ?? 0) <= 0;
  }

  onBytes(bytes: Uint8Array): boolean {
    this.#controller?.enqueue(bytes);
    return true;
  }

  onEnd(problem: unknown): void {
    if (problem === undefined) this.#controller?.close();
    else this.#controller?.error(problem);
  }
}
