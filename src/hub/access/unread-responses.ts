/**
 * What callers have not read of their responses. A call has ended, and counts against no limit any more, when its response is
 * written; a client that does not read keeps it in memory until its connection has been idle for two minutes, and one that reads
 * slowly for longer. Calls in flight pass the limit for further ones together, so that a caller with much more loses its oldest response.
 */

/** A response that is being sent. */
export type Output = {
  /** What its client has not read yet. */
  readonly writableLength: number;
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
};

/** In bytes. */
export type UnreadLimits = {
  /** A caller with more gets no further responses. */
  readonly maxPerCaller: number;
  /** A caller with more is disconnected from its oldest response: it alone can never reach `maxTotal`. */
  readonly maxBeforeLoss: number;
  /** With more of all callers, large responses of servers are not read on. */
  readonly maxTotal: number;
};

const defaultLimits: UnreadLimits = { maxPerCaller: 64_000_000, maxBeforeLoss: 128_000_000, maxTotal: 256_000_000 };
/** Less fits into the buffers of a connection. */
export const minTrackedBytes = 65_536;

export class UnreadResponses {
  readonly #limits: UnreadLimits;
  readonly #outputs = new Map<string, Set<Output>>();

  constructor(limits: UnreadLimits = defaultLimits) {
    this.#limits = limits;
  }

  /**
   * `track` for responses of one caller. A response holds this function and not one that was written where a request is
   * handled, which would hold the request with its body, too. With such a function V8 copied what ended requests had left at
   * each collection of new objects, until the next full one: 6 ms in every 90 at 16 calls at a time, 1.5 without (measured;
   * not with V8's flag against allocating among old objects).
   */
  createTracker(caller: string): (output: Output) => void {
    return (output) => this.track(caller, output);
  }

  /** Until the response is closed. Called again while it grows. */
  track(caller: string, output: Output): void {
    const outputs = this.#outputs.get(caller) ?? new Set();
    if (output.closed) return;
    if (!outputs.has(output)) this.#add(caller, outputs, output);
    for (const oldest of outputs) {
      if (countBytes(outputs) <= this.#limits.maxBeforeLoss) break;
      outputs.delete(oldest);
      oldest.destroy();
    }
  }

  #add(caller: string, outputs: Set<Output>, output: Output): void {
    outputs.add(output);
    this.#outputs.set(caller, outputs);
    output.once('close', () => {
      outputs.delete(output);
      if (outputs.size === 0 && this.#outputs.get(caller) === outputs) this.#outputs.delete(caller);
    });
  }

  /** True if the caller must read before it calls again. */
  isFull(caller: string): boolean {
    const outputs = this.#outputs.get(caller);
    return outputs !== undefined && countBytes(outputs) > this.#limits.maxPerCaller;
  }

  /** True if all callers together must read before more is read for them. */
  get isTotalFull(): boolean {
    let total = 0;
    for (const outputs of this.#outputs.values()) total += countBytes(outputs);
    return total > this.#limits.maxTotal;
  }
}

function countBytes(outputs: ReadonlySet<Output>): number {
  let bytes = 0;
  for (const { writableLength } of outputs) bytes += writableLength;
  return bytes;
}
