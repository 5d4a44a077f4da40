/** Tells those who act for somebody (open streams) that the session, key or grant behind them has ended. */
export type Ends = {
  /** Calls `listener` once when `holder` ends; the returned function stops that. */
  on(holder: string, listener: () => void): () => void;
  fire(holder: string): void;
};

/** Nobody listens yet. */
export function createEnds(): Ends {
  const listeners = new Map<string, Set<() => void>>();
  return {
    on(holder, listener) {
      const own = listeners.get(holder) ?? new Set();
      listeners.set(holder, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(holder) === own) listeners.delete(holder);
      };
    },
    fire(holder) {
      const own = listeners.get(holder);
      listeners.delete(holder);
      for (const listener of own ?? []) listener();
    },
  };
}
