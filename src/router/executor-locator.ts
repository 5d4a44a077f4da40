/** Locates the executor of an instance. URLs come from the router's flags and presence files, never from a request. */
import type { UserPaths } from '../environment/paths.ts';
import { readPresence } from './presence.ts';

/** `url` is the executor's `/mcp`; a stopped executor is not called. */
export type ExecutorLocation = { readonly kind: 'at'; readonly url: string } | { readonly kind: 'stopped' };

/** Undefined when no executor of the instance is known. */
export type FindExecutor = (instance: string) => ExecutorLocation | undefined;

/** `executorUrls`: instance → base URL. `urlPattern`: a base URL with `{instance}`, for every other instance. */
export type ExecutorLocatorOptions = {
  readonly executorUrls: ReadonlyMap<string, string>;
  readonly urlPattern: string | undefined;
  readonly paths: Pick<UserPaths, 'config'>;
};

/** Precedence: `executorUrls`, then presence files of this user, then `urlPattern`. */
export function createExecutorLocator({ executorUrls, urlPattern, paths }: ExecutorLocatorOptions): FindExecutor {
  return (instance) => {
    const baseUrl = executorUrls.get(instance);
    if (baseUrl !== undefined) return toLocation(baseUrl);
    const presence = readPresence(paths, instance);
    if (presence) return presence.state === 'stopped' ? { kind: 'stopped' } : toLocation(presence.url);
    return urlPattern === undefined ? undefined : toLocation(urlPattern.replaceAll('{instance}', instance));
  };
}

function toLocation(baseUrl: string): ExecutorLocation {
  return { kind: 'at', url: `${baseUrl}/mcp` };
}

/** The base URL in `text` (scheme, host and port; a path `/` or `/mcp` is ignored), or the problem with it. */
export function parseExecutorBaseUrl(text: string): { readonly url: string } | { readonly problem: string } {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return { problem: `is not an http or https URL: ${text}` };
  if (url.username || url.password || url.search || url.hash || !/^\/(mcp\/?)?$/.test(url.pathname)) {
    return { problem: `must have only scheme, host and port: ${url.protocol}//${url.host}` };
  }
  return { url: url.origin };
}
