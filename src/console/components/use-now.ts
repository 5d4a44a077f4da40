import { useSyncExternalStore } from 'react';
import { Listeners } from '../../listeners/listeners.ts';
import { nowMs } from '../browser.ts';

const tickMs = 1000;
const listeners = new Listeners();
let timer: ReturnType<typeof setInterval> | undefined;
let currentMs = nowMs();

function tick(): void {
  currentMs = nowMs();
  listeners.notify();
}

function subscribe(listener: () => void): () => void {
  const stopListening = listeners.add(listener);
  timer ??= setInterval(tick, tickMs);
  return () => {
    stopListening();
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
