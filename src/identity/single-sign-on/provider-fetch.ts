/** Calls to the provider: never in the clear over a network, through the proxy of the environment, bounded. */
import { isLoopback, outwardFetch } from '../../outbound/outward-fetch.ts';
import type { SingleSignOnSettings } from './settings.ts';

const mostCharacters = 1_000_000;

/** What the library hands over. */
type Init = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
};

/** True for what may be called: https, and plain http on this machine. */
export function isSafeAddress(url: string): boolean {
  return url.startsWith('https://') || (url.startsWith('http://') && isLoopback(url));
}

/** `fetch` towards the provider; metadata may name further hosts, which are held to the same. */
export function providerFetch(
  { extraRoots, variables }: Pick<SingleSignOnSettings, 'extraRoots' | 'variables'>,
  within: () => AbortSignal,
) {
  return async (url: string, { method, headers, body, signal }: Init): Promise<Response> => {
    if (!isSafeAddress(url)) throw new TypeError(`${new URL(url).origin} is neither https nor on this machine`);
    const call = await outwardFetch({ url, extraRoots, variables });
    const text = body instanceof URLSearchParams || typeof body === 'string' ? { body: String(body) } : {};
    const ending = signal ? AbortSignal.any([signal, within()]) : within();
    const answer = await call(url, { method, headers: { ...headers }, ...text, signal: ending, redirect: 'manual' });
    const told = await answer.text();
    if (told.length > mostCharacters) throw new TypeError(`${new URL(url).origin} answers with too much`);
    const type = answer.headers.get('content-type') ?? '';
    return new Response(told === '' ? null : told, { status: answer.status, headers: { 'content-type': type } });
  };
}
