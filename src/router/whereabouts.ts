/** Where the executor of an instance is. Addresses come from the router's own flags and files, never from a request. */
import type { Paths } from '../environment/paths.ts';
import { readPresence } from './presence.ts';

/** `url` is the executor's `/mcp`; a stopped one is known and not called. */
export type Whereabouts = { readonly kind: 'at'; readonly url: string } | { readonly kind: 'stopped' };

/** Looks an instance up; undefined when there is no executor of it here. */
export type FindExecutor = (instance: string) => Whereabouts | undefined;

/** `named`: instance → base URL. `pattern`: a base URL with `{instance}` in it, for every other instance. */
export type WhereaboutsOptions = {
  readonly named: ReadonlyMap<string, string>;
  readonly pattern: string | undefined;
  readonly paths: Pick<Paths, 'config'>;
};

/** What was named wins; then executors of this user on this machine; then the pattern. */
export function findExecutor({ named, pattern, paths }: WhereaboutsOptions): FindExecutor {
  return (instance) => {
    const base = named.get(instance);
    if (base !== undefined) return at(base);
    const present = readPresence(paths, instance);
    if (present) return present.state === 'stopped' ? { kind: 'stopped' } : at(present.url);
    return pattern === undefined ? undefined : at(pattern.replaceAll('{instance}', instance));
  };
}

function at(base: string): Whereabouts {
  return { kind: 'at', url: `${base}/mcp` };
}

/** The base URL in `text` (scheme, host and port; a lone `/` or `/mcp` behind it is understood), or what is wrong with it. */
export function baseUrlOf(text: string): { readonly url: string } | { readonly problem: string } {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return { problem: `is no http or https address: ${text}` };
  if (url.username || url.password || url.search || url.hash || !/^\/(mcp\/?)?$/.test(url.pathname)) {
    return { problem: `has more in it than scheme, host and port: ${url.protocol}//${url.host}` };
  }
  return { url: url.origin };
}
