import type { Clock } from '../../environment/clock.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';

/** A guarded fetch whose responses must arrive completely within `limitMs`. Event streams are not read. */
export function createBoundedFetch({ fetch, clock }: { fetch: GuardedFetch['fetch']; clock: Clock }, limitMs: number) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const timeoutController = new AbortController();
    const cancelTimeout = clock.after(limitMs, () => timeoutController.abort(new Error('took too long')));
    const signal = init.signal ? AbortSignal.any([init.signal, timeoutController.signal]) : timeoutController.signal;
    try {
      const response = await fetch(url, { ...init, signal });
      const { status, headers } = response;
      if (!headers.get('content-type')?.startsWith('text/event-stream')) return response;
      await response.body?.cancel();
      return new Response(null, { status, headers });
    } finally {
      cancelTimeout();
    }
  };
}
