/** Collects what comes within `gapMs` of the first, then hands it on at once: one rendering for a burst. */
export function batches<T>(gapMs: number, take: (items: readonly T[]) => void): { add(item: T): void; stop(): void } {
  let items: T[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    const full = items;
    items = [];
    take(full);
  };
  return {
    add(item) {
      items.push(item);
      timer ??= setTimeout(flush, gapMs);
    },
    stop: () => clearTimeout(timer),
  };
}
