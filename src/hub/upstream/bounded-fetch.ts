import type { Clock } from '../../environment/clock.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';

/** A guarded fetch whose answers have to come within `limitMs`. */
export function boundedFetch({ fetch, clock }: { fetch: GuardedFetch['fetch']; clock: Clock }, limitMs: number) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const late = new AbortController();
    const cancel = clock.after(limitMs, () => late.abort(new Error('took too long')));
    const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
    return fetch(url, { ...init, signal }).finally(cancel);
  };
}
