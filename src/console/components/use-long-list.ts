import { useDeferredValue } from 'react';

/** More than the tallest screen shows. */
const firstRows = 40;

/**
 * The items to render now: at first those that a screen shows, right after that all of them, in steps between which the page
 * reacts. Two hundred rows of scenarios with their buttons take longer than all else of their page together.
 */
export function useLongList<T>(items: readonly T[]): readonly T[] {
  return useDeferredValue(items, items.slice(0, firstRows));
}
