/** Relays the metrics of a control plane that Prometheus cannot reach, such as one behind a unix socket. */
import { vpError } from '../errors/vp-error.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import { describeFetchError } from './describe-fetch-error.ts';

/** `url` has no trailing slash. */
export type RelayTarget = { readonly url: string; readonly fetch: OutboundFetch };

const timeoutMs = 4_000;

/** Returns the control plane's response to the credential of the caller. Throws RELAY_AWAY. */
export async function relayMetrics(
  { url, fetch }: RelayTarget,
  headers: Headers,
  signal: AbortSignal,
): Promise<Response> {
  const authorization = headers.get('authorization');
  try {
    const response = await fetch(`${url}/metrics`, {
      method: 'GET',
      headers: authorization === null ? {} : { authorization },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      redirect: 'manual',
    });
    const type = response.headers.get('content-type') ?? 'text/plain';
    return new Response(await response.text(), { status: response.status, headers: { 'Content-Type': type } });
  } catch (error) {
    throw vpError('RELAY_AWAY', { url, problem: describeFetchError(error, url, timeoutMs) }, { cause: error });
  }
}
