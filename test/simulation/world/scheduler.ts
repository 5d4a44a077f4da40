/**
 * Owns all time of a simulation. One event happens at a time: its action runs, then every promise that it settled. An event
 * belongs to the process in which it happens, so timers and immediates that its code starts belong to that process too.
 */
import type { SimProcess } from './sim-process.ts';

type Event = { readonly atMs: number; readonly order: number; process: SimProcess | undefined; action: () => void };

const realSetImmediate = globalThis.setImmediate;
/** The shortest time between an immediate and its start. */
const immediateMs = 0.01;

export class Scheduler {
  #nowMs = 0;
  #order = 0;
  #current: SimProcess | undefined;
  readonly #events: Event[] = [];
  readonly #trace: string[] = [];

  /** Milliseconds since the simulation began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** The process of the event that is happening; undefined outside of events and for those of the world itself. */
  get current(): SimProcess | undefined {
    return this.#current;
  }

  /** What happened, a line each. */
  get trace(): readonly string[] {
    return this.#trace;
  }

  log(source: string, text: string): void {
    this.#trace.push(`${(this.#nowMs / 1000).toFixed(3).padStart(9)} s  ${source.padEnd(11)} ${text}`);
  }

  /** `action` happens in `process` after `delayMs`, unless the process has ended or the returned function is called. */
  schedule(delayMs: number, process: SimProcess | undefined, action: () => void): () => void {
    this.#order += 1;
    // Whole microseconds: a delay of a rounding error would not move the time at all.
    const atMs = (Math.round(this.#nowMs * 1000) + Math.ceil(Math.max(0, delayMs) * 1000)) / 1000;
    const event: Event = { atMs, order: this.#order, process, action };
    this.#insert(event);
    return () => {
      const index = this.#events.indexOf(event);
      if (index !== -1) this.#events.splice(index, 1);
    };
  }

  /** Lets events happen until `untilMs`, or until `isDone`. */
  async run(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
    while (!isDone()) {
      const event = this.#events[0];
      if (!event || event.atMs > untilMs) break;
      this.#events.shift();
      this.#nowMs = Math.max(this.#nowMs, event.atMs);
      await this.#happen(event);
    }
    if (!isDone()) this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  async #happen({ process, action, order }: Event): Promise<void> {
    if (process && !process.isAlive) return;
    if (process && process.frozenUntilMs > this.#nowMs) {
      this.#insert({ atMs: process.frozenUntilMs, order, process, action });
      return;
    }
    this.#current = process;
    try {
      if (process?.mayBegin() !== false) action();
      // Microtasks run to their end before the next immediate of the real loop.
      await new Promise<void>((resolve) => realSetImmediate(resolve));
    } finally {
      this.#current = undefined;
    }
  }

  #insert(event: Event): void {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#events[middle];
      const isEarlier = other && (other.atMs < event.atMs || (other.atMs === event.atMs && other.order < event.order));
      if (isEarlier) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }
}

class SimHandle {
  readonly cancel: () => void;
  constructor(cancel: () => void) {
    this.cancel = cancel;
  }
  unref(): this {
    return this;
  }
  ref(): this {
    return this;
  }
}

const replacedNames = ['setImmediate', 'setTimeout', 'clearImmediate', 'clearTimeout'] as const;

/** Until the returned function is called, timers and immediates that a simulated process starts are events. */
export function replaceTimers(scheduler: Scheduler): () => void {
  const originals = replacedNames.map((name) => [name, globalThis[name]] as const);
  const { setImmediate, setTimeout, clearImmediate, clearTimeout } = globalThis;
  const start = (delayMs: number, action: () => void): SimHandle | undefined => {
    const process = scheduler.current;
    return process && new SimHandle(process.isAlive ? scheduler.schedule(delayMs, process, action) : () => {});
  };
  const substitutes = {
    setImmediate: (action: () => void) => start(immediateMs, action) ?? setImmediate(action),
    setTimeout: (action: () => void, delayMs = 0) => start(delayMs, action) ?? setTimeout(action, delayMs),
    clearImmediate: (handle: NodeJS.Immediate | SimHandle) =>
      handle instanceof SimHandle ? handle.cancel() : clearImmediate(handle),
    clearTimeout: (handle: NodeJS.Timeout | SimHandle) =>
      handle instanceof SimHandle ? handle.cancel() : clearTimeout(handle),
  };
  Object.assign(globalThis, substitutes);
  return () => Object.assign(globalThis, Object.fromEntries(originals));
}
