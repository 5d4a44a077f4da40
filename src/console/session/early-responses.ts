/** Answers to requests that were sent before this script was loaded (page-start.ts). Each is used once. */
declare global {
  var vpEarlyResponses: Map<string, Promise<Response>> | undefined;
}

/** Since the page was opened. Later, what a page did not want at once would be out of date. */
const maxAgeMs = 10_000;

/** The answer to a request without a body, if it was asked for already. */
export function takeEarlyResponse(url: string, method: string): Promise<Response> | undefined {
  if (method !== 'GET' || !globalThis.vpEarlyResponses || performance.now() > maxAgeMs) return undefined;
  const { origin, pathname, search } = new URL(url);
  if (origin !== location.origin) return undefined;
  const path = `${pathname}${search}`;
  const response = globalThis.vpEarlyResponses.get(path);
  globalThis.vpEarlyResponses.delete(path);
  return response;
}

/** They belong to the credential that the page was opened with. */
export function dropEarlyResponses(): void {
  globalThis.vpEarlyResponses = undefined;
}
