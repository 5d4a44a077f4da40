/** Collects items for `delayMs` after the first one, then passes them on together, so that a burst is rendered once. */
export function createBatch<T>(
  delayMs: number,
  onFlush: (items: readonly T[]) => void,
): { add(item: T): void; stop(): void } {
  let items: T[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    const flushed = items;
    items = [];
    onFlush(flushed);
  };
  return {
    add(item) {
      items.push(item);
      timer ??= setTimeout(flush, delayMs);
    },
    stop: () => clearTimeout(timer),
  };
}
