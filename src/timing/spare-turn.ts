/**
 * Work in a later turn of the event loop, when what was about to be sent is sent: two immediates from now, because an HTTP client sends
 * on an idle connection in an immediate of its own.
 */
export class SpareTurn<T> {
  readonly #work: () => T;
  #immediate: NodeJS.Immediate;
  #result: T | undefined;

  constructor(work: () => T) {
    this.#work = work;
    this.#immediate = setImmediate(() => {
      this.#immediate = setImmediate(() => this.#run());
    });
  }

  /** The result; undefined if it is not there yet, and then the work is never done. */
  take(): T | undefined {
    clearImmediate(this.#immediate);
    return this.#result;
  }

  #run(): void {
    try {
      this.#result = this.#work();
    } catch {
      // Whoever needs the result does the work, and meets the error, where it belongs.
    }
  }
}
