/** `fetch` towards control planes: through the proxy that the environment names, trusting more roots where told to. */
import { rootsWith } from './tls-roots.ts';

/** `url` is where calls go; `extraRoots` are PEM certificates. */
export type OutwardOptions = {
  readonly url: string;
  readonly extraRoots: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** What is used of a response; the runtime's and undici's both are one. */
export type OutwardAnswer = {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): OutwardReader } | null;
  text(): Promise<string>;
};
type OutwardReader = {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
};

/** What is used of `fetch`. */
export type OutwardFetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal; redirect: 'manual' },
) => Promise<OutwardAnswer>;

/** True for addresses that never leave this machine: no proxy, and plain http tells nobody anything. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** The runtime's own `fetch` unless a proxy or a root is needed; then undici's, which is loaded for that. */
export async function outwardFetch({ url, extraRoots, variables }: OutwardOptions): Promise<OutwardFetch> {
  const proxy = isLoopback(url) ? undefined : proxyOf(url, variables);
  if (proxy === undefined && extraRoots.length === 0) return (target, init) => fetch(target, init);
  const { Agent, EnvHttpProxyAgent, fetch: fetchThrough } = await import('undici');
  const ca = rootsWith(extraRoots);
  const tls = ca === undefined ? {} : { ca };
  const noProxy = variables.no_proxy ?? variables.NO_PROXY ?? '';
  const dispatcher =
    proxy === undefined
      ? new Agent({ connect: tls })
      : new EnvHttpProxyAgent({
          httpProxy: proxy,
          httpsProxy: proxy,
          noProxy,
          connect: tls,
          requestTls: tls,
          proxyTls: tls,
        });
  return (target, init) => fetchThrough(target, { ...init, dispatcher });
}

/** Lower case wins, as everywhere else. */
function proxyOf(url: string, variables: OutwardOptions['variables']): string | undefined {
  const named = url.startsWith('https:')
    ? (variables.https_proxy ?? variables.HTTPS_PROXY)
    : (variables.http_proxy ?? variables.HTTP_PROXY);
  return named || variables.all_proxy || variables.ALL_PROXY || undefined;
}
