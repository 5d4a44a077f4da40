import { useSyncExternalStore } from 'react';
import { nowMs } from '../browser.ts';

const tickMs = 1000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let currentMs = nowMs();

function tick(): void {
  currentMs = nowMs();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns `select` of the current time, updated every second by one shared timer. Renders again only when that value changes. */
export function useNow<T extends string | number>(select: (nowMs: number) => T): T {
  return useSyncExternalStore(subscribe, () => {
    if (timer === undefined && nowMs() - currentMs >= tickMs) currentMs = nowMs();
    return select(currentMs);
  });
}
