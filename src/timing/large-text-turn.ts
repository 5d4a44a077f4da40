/**
 * Parsing, writing or searching a text of megabytes takes milliseconds in which nothing else runs. Between two such steps other
 * work gets a turn of the event loop, and in one turn only one large text is worked on, however many there are.
 */
import { setImmediate } from 'node:timers/promises';
import { growHeapForLargeTexts } from '../environment/heap-growth.ts';

/** In characters or bytes. */
export const largeTextLength = 500_000;

let lastTurn: Promise<unknown> = Promise.resolve();

/** Await it before a step over a text of `length` characters; undefined for a text that is not large. */
export function takeTurnForText(length: number): Promise<unknown> | undefined {
  if (length < largeTextLength) return undefined;
  growHeapForLargeTexts();
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}
