import { startTransition, useDeferredValue, useEffect, useState } from 'react';

/** No row is less high, and something is always above the list. */
const minRowPx = 30;

/** As many rows as the window can show. */
function countFirstRows(): number {
  return Math.ceil(window.innerHeight / minRowPx);
}

/** Returns what takes it back. After the next frame was drawn, and not between the callbacks before it. */
function afterPaint(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(act);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/**
 * The items to render now: at first those that a screen shows, and after they were drawn twice as many each time, in steps between
 * which the page reacts. Two hundred rows of scenarios with their buttons take longer than all else of their page together.
 */
export function useLongList<T>(items: readonly T[]): readonly T[] {
  const [count, setCount] = useState(countFirstRows);
  const listed = useDeferredValue(items, items.slice(0, count));
  const isComplete = count >= listed.length;
  useEffect(() => {
    if (!isComplete) return afterPaint(() => startTransition(() => setCount(2 * count)));
  }, [isComplete, count]);
  return isComplete ? listed : listed.slice(0, count);
}
