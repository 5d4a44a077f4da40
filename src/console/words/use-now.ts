import { useSyncExternalStore } from 'react';
import { nowMs } from '../browser.ts';

const stepMs = 1000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let current = nowMs();

function tick(): void {
  current = nowMs();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, stepMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, a second old at most; one timer for all who show it. Rendered again only when what `pick` makes of it changes. */
export function useNow<T extends string | number>(pick: (nowMs: number) => T): T {
  return useSyncExternalStore(subscribe, () => {
    if (timer === undefined && nowMs() - current >= stepMs) current = nowMs();
    return pick(current);
  });
}
