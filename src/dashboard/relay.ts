/** Leads Prometheus on to the metrics of a control plane that it cannot reach itself, such as one behind a unix socket. */
import { vpError } from '../errors/vp-error.ts';
import type { OutwardFetch } from '../outbound/outward-fetch.ts';
import { faultWords } from './fault-words.ts';

/** `url` without a slash at its end. */
export type RelayTo = { readonly url: string; readonly fetch: OutwardFetch };

const limitMs = 4_000;

/** The control plane's own answer to the caller's own credential. Throws RELAY_AWAY. */
export async function relayMetrics({ url, fetch }: RelayTo, headers: Headers, signal: AbortSignal): Promise<Response> {
  const authorization = headers.get('authorization');
  try {
    const got = await fetch(`${url}/metrics`, {
      method: 'GET',
      headers: authorization === null ? {} : { authorization },
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
      redirect: 'manual',
    });
    const type = got.headers.get('content-type') ?? 'text/plain';
    return new Response(await got.text(), { status: got.status, headers: { 'Content-Type': type } });
  } catch (error) {
    throw vpError('RELAY_AWAY', { url, problem: faultWords(error, limitMs) }, { cause: error });
  }
}
