/**
 * A process that can crash at each of its effects: a commit, a message, a request to the target; and wherever its code goes on:
 * after an await, and when a timer, a message or a response comes.
 */
import { promiseHooks } from 'node:v8';
import type { Clock } from '../../../src/environment/clock.ts';
import { recordAwaitCrash } from './await-positions.ts';
import type { Scheduler } from './scheduler.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

/** A machine has one wall clock, which may jump; processes on it start and end. */
export type Machine = { wallOffsetMs: number };

/** 2026-11-20T14:30:12.345Z, when the simulation begins. */
export const startWallMs = Date.UTC(2026, 10, 20, 14, 30, 12, 345);

export type SimProcessOptions = {
  readonly name: string;
  readonly seed: string;
  readonly scheduler: Scheduler;
  readonly machine: Machine;
};

/** The process has ended, so its code has to stop where it is. */
export class CrashError extends Error {}

export class SimProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly random: SeededRandom;
  frozenUntilMs = 0;
  readonly #scheduler: Scheduler;
  readonly #onEnd = new Set<() => void>();
  #isAlive = true;
  #hasCrashed = false;
  #effectsUntilCrash = Number.POSITIVE_INFINITY;
  #resumptionsUntilCrash = Number.POSITIVE_INFINITY;
  #stopCounting: (() => void) | undefined;

  constructor({ name, seed, scheduler, machine }: SimProcessOptions) {
    this.name = name;
    this.#scheduler = scheduler;
    this.random = createSeededRandom(`${seed}/${name}`);
    this.clock = createClock(scheduler, machine, this);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** It ended at one of its points. */
  get hasCrashed(): boolean {
    return this.#hasCrashed;
  }

  /** Calls `listener` when the process has ended; the returned function stops that. */
  onEnd(listener: () => void): () => void {
    this.#onEnd.add(listener);
    return () => this.#onEnd.delete(listener);
  }

  /** Crashes after `count` more points, of which each effect has two: before it and after it. */
  crashAfter(count: number): void {
    this.#effectsUntilCrash = count;
  }

  /** Crashes where its code goes on for the time `count`, counted from now. Slower while it counts. */
  crashAtResumption(count: number): void {
    this.#stopCounting?.();
    this.#resumptionsUntilCrash = count;
    const onBefore = (promise: Promise<unknown>): void => {
      if (this.#scheduler.current === this && this.#isAlive) this.#resume('after an await', promise);
    };
    const stop = promiseHooks.onBefore(onBefore);
    this.#stopCounting = () => void stop();
  }

  /** Nothing crashes it any more. */
  cancelCrash(): void {
    this.#effectsUntilCrash = Number.POSITIVE_INFINITY;
    this.#resumptionsUntilCrash = Number.POSITIVE_INFINITY;
    this.#stopCounting?.();
  }

  /** An event of the process begins. False when the process has ended instead. */
  mayBegin(): boolean {
    if (this.#stopCounting) this.#resume('at an event');
    return this.#isAlive;
  }

  #resume(point: string, promise?: Promise<unknown>): void {
    this.#resumptionsUntilCrash -= 1;
    if (this.#resumptionsUntilCrash > 0) return;
    this.#hasCrashed = true;
    if (promise) recordAwaitCrash(promise);
    this.end(`crashed ${point}`);
  }

  /** A point where the process may crash. False when it has ended: the effect must not happen. */
  mayContinue(point: string): boolean {
    if (!this.#isAlive) return false;
    this.#effectsUntilCrash -= 1;
    if (this.#effectsUntilCrash > 0) return true;
    this.#hasCrashed = true;
    this.end(`crashed ${point}`);
    return false;
  }

  /** Ends it at once; nothing of it happens any more. */
  end(reason: string): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#stopCounting?.();
    this.#scheduler.log(this.name, reason);
    for (const listener of [...this.#onEnd]) listener();
    this.#onEnd.clear();
  }
}

function createClock(scheduler: Scheduler, machine: Machine, process: SimProcess): Clock {
  const startMs = scheduler.nowMs;
  const after = (delayMs: number, action: () => void): (() => void) =>
    process.isAlive ? scheduler.schedule(delayMs, process, action) : () => {};
  return {
    nowMs: () => Math.floor(startWallMs + scheduler.nowMs + machine.wallOffsetMs),
    monotonicMs: () => scheduler.nowMs - startMs + 1000,
    after,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = (): void => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = after(delayMs, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
  };
}
