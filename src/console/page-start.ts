/**
 * A plain script before all others, part of the page itself: the stored theme, the first requests, keys that nothing else hears
 * yet, and what to do when another script does not load.
 */
import { listEarlyPaths } from './session/early-paths.ts';

try {
  const storedTheme = localStorage.getItem('vp.theme');
  if (storedTheme === 'light' || storedTheme === 'dark') document.documentElement.dataset.theme = storedTheme;
} catch {}

const attemptsKey = 'vp.reloads';
const maxReloads = 2;
const reloadPauseMs = 1_500;

function readAttempts(): number {
  try {
    return Number(sessionStorage.getItem(attemptsKey) ?? 0);
  } catch {
    return maxReloads;
  }
}

function writeAttempts(attempts: number): void {
  try {
    sessionStorage.setItem(attemptsKey, String(attempts));
  } catch {}
}

function showFailure(): void {
  const root = document.getElementById('root');
  if (!root) return;
  root.innerHTML =
    '<main class="standalone"><div class="problem" role="alert"><p><strong>A part of this page could not be loaded.</strong></p>' +
    '<p>Check that the server runs and that the network works, then reload the page.</p>' +
    '<button type="button">Reload</button></div></main>';
  root.querySelector('button')?.addEventListener('click', () => location.reload());
}

/** Without its main script or its style the page would stay blank. A browser does not try again by itself. */
function onResourceError({ target }: Event): void {
  const isPart =
    target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === 'stylesheet');
  if (!isPart) return;
  const attempts = readAttempts();
  if (attempts >= maxReloads) {
    writeAttempts(0);
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', showFailure);
    else showFailure();
    return;
  }
  writeAttempts(attempts + 1);
  setTimeout(() => location.reload(), reloadPauseMs);
}

addEventListener('error', onResourceError, true);
// Errors of scripts do not bubble, so that this listener receives loading errors only; after it the count restarts.
addEventListener('load', () => {
  if (document.getElementById('root')?.hasChildNodes()) writeAttempts(0);
});

const limitMs = 30_000;

function ask(path: string, proof: string): Promise<Response> {
  const headers = { accept: 'application/json', 'X-VP-Proof': proof };
  const options = { headers, redirect: 'manual', signal: AbortSignal.timeout(limitMs) } as const;
  const response = fetch(path, { ...options, credentials: 'same-origin' });
  // The client that takes it handles its failure; a page that needs none ignores it.
  response.catch(() => undefined);
  return response;
}

/** Ctrl-K or ⌘K and what is typed after it, until the palette takes it (palette/early-query.ts). Fields keep their letters. */
function collectEarlyKeys(): void {
  const keys: NonNullable<typeof globalThis.vpEarlyKeys> = {
    query: undefined,
    stop: () => removeEventListener('keydown', onKey),
  };
  function onKey(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    const isControl = ctrlKey || metaKey;
    if (key.toLowerCase() === 'k' && isControl && !altKey && !event.shiftKey) keys.query ??= '';
    else if (keys.query === undefined || isControl || altKey || target !== document.body) return;
    else if (key === 'Escape') keys.query = undefined;
    else if (key === 'Backspace') keys.query = keys.query.slice(0, -1);
    else if (key.length === 1) keys.query += key;
    else return;
    event.preventDefault();
  }
  addEventListener('keydown', onKey);
  globalThis.vpEarlyKeys = keys;
}

/** The scripts of the page at an address, which the main script would ask for only once it runs. */
function preloadParts(pathname: string): void {
  const parts: unknown = JSON.parse(document.currentScript?.dataset.parts ?? '{}');
  for (const [pattern, files] of Object.entries(parts as Record<string, readonly string[]>))
    if (new RegExp(pattern).test(pathname))
      for (const file of files)
        document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: file }));
}

/**
 * Asks for what the page needs first of a signed-in person while the other scripts load; the client takes the answers
 * (session/early-responses.ts). No other page has the proof.
 */
try {
  // As session/credential.ts stores it.
  const proof = localStorage.getItem('vp.proof');
  if (proof !== null) {
    collectEarlyKeys();
    const paths = listEarlyPaths(location.pathname, location.search);
    globalThis.vpEarlyResponses = new Map(paths.map((path) => [path, ask(path, proof)]));
    preloadParts(location.pathname);
  }
} catch {}
