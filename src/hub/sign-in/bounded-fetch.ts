import type { Clock } from '../../environment/clock.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import { withTimeout } from '../../timing/timeout.ts';

export class ResponseTimeoutError extends Error {}

/** A guarded fetch whose responses must arrive completely within `limitMs`. Event streams are not read. */
export function createBoundedFetch({ fetch, clock }: { fetch: GuardedFetch['fetch']; clock: Clock }, limitMs: number) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const createError = () => new ResponseTimeoutError('took too long');
    const options = { clock, timeoutMs: limitMs, createError, ...(init.signal && { signal: init.signal }) };
    return withTimeout(options, async (signal) => {
      const response = await fetch(url, { ...init, signal });
      const { status, headers } = response;
      if (!headers.get('content-type')?.startsWith('text/event-stream')) return response;
      await response.body?.cancel();
      return new Response(null, { status, headers });
    });
  };
}
