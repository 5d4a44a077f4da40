import type { Clock } from '../environment/clock.ts';

export type ResponseCache<T> = (key: string, load: () => Promise<T>) => Promise<T>;

/** Caches the result of `load` by key for `cacheMs`, also while it is being loaded. Failures are not cached. */
export function createResponseCache<T>(cacheMs: number, clock: Pick<Clock, 'monotonicMs'>): ResponseCache<T> {
  const entries = new Map<string, { readonly untilMs: number; readonly response: Promise<T> }>();
  return (key: string, load: () => Promise<T>): Promise<T> => {
    const nowMs = clock.monotonicMs();
    for (const [name, { untilMs }] of entries) if (untilMs <= nowMs) entries.delete(name);
    const cached = entries.get(key);
    if (cached) return cached.response;
    const response = load();
    entries.set(key, { untilMs: nowMs + cacheMs, response });
    response.catch(() => entries.delete(key));
    return response;
  };
}
