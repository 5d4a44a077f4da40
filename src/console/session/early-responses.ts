/** Answers to requests that were sent before this script was loaded (page-start.ts). Each is used once. */
declare global {
  var vpEarlyResponses: Map<string, Promise<Response>> | undefined;
}

/** The answer to a request without a body, if it was asked for already. */
export function takeEarlyResponse(url: string, method: string): Promise<Response> | undefined {
  if (method !== 'GET' || !globalThis.vpEarlyResponses) return undefined;
  const { origin, pathname, search } = new URL(url);
  if (origin !== location.origin || search !== '') return undefined;
  const response = globalThis.vpEarlyResponses.get(pathname);
  globalThis.vpEarlyResponses.delete(pathname);
  return response;
}

/** They belong to the credential that the page was opened with. */
export function dropEarlyResponses(): void {
  globalThis.vpEarlyResponses = undefined;
}
