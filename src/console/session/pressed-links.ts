/**
 * Asks for what a page of the console needs when its link is pressed: the click follows some 100 ms later, and the page is
 * rendered after it. The client takes the answers (early-responses.ts).
 */
import { credentialHeaders } from './credential.ts';
import { listPagePaths } from './early-paths.ts';
import { askForPressedLink } from './early-responses.ts';

const limitMs = 30_000;

function ask(path: string): Promise<Response> {
  const headers = { accept: 'application/json', ...credentialHeaders() };
  return fetch(path, {
    ...{ headers, redirect: 'manual', credentials: 'same-origin' },
    signal: AbortSignal.timeout(limitMs),
  });
}

/** The link of this console that the event opens in this tab; undefined for all else. */
function findLink({ button, ctrlKey, metaKey, shiftKey, altKey, target }: MouseEvent): URL | undefined {
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey || !(target instanceof Element)) return undefined;
  const link = target.closest('a');
  if (link?.target !== '' || link.hasAttribute('download')) return undefined;
  const url = new URL(link.href, location.href);
  const isHere = url.pathname === location.pathname && url.search === location.search;
  return url.origin === location.origin && !isHere ? url : undefined;
}

/** A finger that touches a link may also scroll. */
function mayScroll({ type, pointerType }: PointerEvent): boolean {
  return type === 'pointerdown' && pointerType === 'touch';
}

function onPress(event: PointerEvent): void {
  if (mayScroll(event)) return;
  const url = findLink(event);
  if (url) askForPressedLink(listPagePaths(url.pathname, url.search), ask);
}

/** A key presses a link without a pointer: then the click is the first event. */
export function listenForPressedLinks(): void {
  for (const type of ['pointerdown', 'click'] as const) addEventListener(type, onPress, { capture: true });
}
