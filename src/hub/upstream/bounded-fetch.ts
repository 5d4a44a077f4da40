import type { Clock } from '../../environment/clock.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';

/** A guarded fetch for answers that end: each has to be there, to its last byte, within `limitMs`. Streams are left unread. */
export function boundedFetch({ fetch, clock }: { fetch: GuardedFetch['fetch']; clock: Clock }, limitMs: number) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const late = new AbortController();
    const cancel = clock.after(limitMs, () => late.abort(new Error('took too long')));
    const signal = init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal;
    try {
      const answer = await fetch(url, { ...init, signal });
      const { status, headers } = answer;
      if (!headers.get('content-type')?.startsWith('text/event-stream')) return answer;
      await answer.body?.cancel();
      return new Response(null, { status, headers });
    } finally {
      cancel();
    }
  };
}
