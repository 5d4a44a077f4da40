/** Requests to the provider: never plain http over a network, through the configured proxy, and bounded in size. */
import { createOutboundFetch, isLoopback } from '../../outbound/outbound-fetch.ts';
import type { SingleSignOnSettings } from './settings.ts';

const maxResponseBytes = 1_000_000;

/** The request options that openid-client passes. */
type ProviderRequestInit = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
};

/** True for https, and for plain http on this machine. */
function isSecureUrl(url: string): boolean {
  return url.startsWith('https://') || (url.startsWith('http://') && isLoopback(url));
}

/** `fetch` for the provider; the same rules apply to further hosts in its metadata. */
export function createProviderFetch(
  { extraRoots, variables }: Pick<SingleSignOnSettings, 'extraRoots' | 'variables'>,
  createTimeoutSignal: () => AbortSignal,
) {
  return async (url: string, { method, headers, body, signal }: ProviderRequestInit): Promise<Response> => {
    if (!isSecureUrl(url)) throw new TypeError(`${new URL(url).origin} is neither https nor on this machine`);
    const providerFetch = await createOutboundFetch({ url, extraRoots, variables, maxResponseBytes });
    const bodyInit = body instanceof URLSearchParams || typeof body === 'string' ? { body: String(body) } : {};
    const combinedSignal = signal ? AbortSignal.any([signal, createTimeoutSignal()]) : createTimeoutSignal();
    const response = await providerFetch(url, {
      method,
      headers: { ...headers },
      ...bodyInit,
      signal: combinedSignal,
      redirect: 'manual',
    });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    return new Response(text === '' ? null : text, { status: response.status, headers: { 'content-type': type } });
  };
}
