/**
 * Answers to requests that were sent before the page that needs them is rendered: by the script before all others (page-start.ts),
 * and when a link is pressed (pressed-links.ts). Each is used once.
 */
declare global {
  var vpEarlyResponses: Map<string, Promise<Response>> | undefined;
}

/** Since the page was opened. Later, what a page did not want at once would be out of date. */
const maxAgeMs = 10_000;
/** Since a link was pressed, which is some 100 ms before its page is rendered. */
const maxPressedAgeMs = 2_000;

type PressedResponse = { readonly response: Promise<Response>; readonly untilMs: number };
const pressedResponses = new Map<string, PressedResponse>();

function takePressed(path: string): Promise<Response> | undefined {
  const entry = pressedResponses.get(path);
  pressedResponses.delete(path);
  return entry && performance.now() <= entry.untilMs ? entry.response : undefined;
}

function takeFirst(path: string): Promise<Response> | undefined {
  if (!globalThis.vpEarlyResponses || performance.now() > maxAgeMs) return undefined;
  const response = globalThis.vpEarlyResponses.get(path);
  globalThis.vpEarlyResponses.delete(path);
  return response;
}

/** The answer to a request without a body, if it was asked for already. What is written makes answers before it old. */
export function takeEarlyResponse(url: string, method: string): Promise<Response> | undefined {
  if (method !== 'GET') pressedResponses.clear();
  if (method !== 'GET' || (pressedResponses.size === 0 && !globalThis.vpEarlyResponses)) return undefined;
  const { origin, pathname, search } = new URL(url);
  if (origin !== location.origin) return undefined;
  const path = `${pathname}${search}`;
  return takePressed(path) ?? takeFirst(path);
}

/** For the page of a link that is being pressed. Asks with `ask` what was not asked for already. */
export function askForPressedLink(paths: readonly string[], ask: (path: string) => Promise<Response>): void {
  const nowMs = performance.now();
  for (const [path, { untilMs }] of pressedResponses) if (untilMs < nowMs) pressedResponses.delete(path);
  for (const path of paths) {
    if (pressedResponses.has(path)) continue;
    const response = ask(path);
    // The client that takes it handles its failure; a page that needs none ignores it.
    response.catch(() => undefined);
    pressedResponses.set(path, { response, untilMs: nowMs + maxPressedAgeMs });
  }
}

/** Something changed in the control plane: what was asked for before may be out of date. */
export function dropPressedResponses(): void {
  pressedResponses.clear();
}

/** They belong to the credential that the page was opened with. */
export function dropEarlyResponses(): void {
  globalThis.vpEarlyResponses = undefined;
  pressedResponses.clear();
}
