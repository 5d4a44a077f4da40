import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react';
import { vpError } from '../errors/vp-error.ts';

const pausesMs = [300, 1_000, 3_000];

/** In the bundle, a loader is `()=>import("./part-….js")`. */
const importPattern = /\bimport\(\s*(["'`])([^"'`]+)\1\s*\)/;

/**
 * Browsers remember that a module could not be loaded: a further import of its URL fails without a request (seen in Chromium), so it is
 * imported from another one. A script that the part itself imports stays lost until the page is loaded again.
 */
function loadAgain<T>(load: () => Promise<T>, attempt: number): Promise<T> {
  const specifier = importPattern.exec(String(load))?.[2];
  if (specifier === undefined) return load();
  const url = new URL(specifier, import.meta.url);
  url.searchParams.set('attempt', String(attempt));
  return import(url.href) as Promise<T>;
}

/** Loads again after a failure, such as a lost connection. Throws CONSOLE_PART_UNREACHABLE after the last attempt. */
export async function loadWithRetry<T>(load: () => Promise<T>, pauses: readonly number[] = pausesMs): Promise<T> {
  let attempt = 1;
  for (const pauseMs of pauses) {
    try {
      return await (attempt === 1 ? load() : loadAgain(load, attempt));
    } catch {
      attempt += 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return loadAgain(load, attempt).catch((cause: unknown) => {
    throw vpError('CONSOLE_PART_UNREACHABLE', {}, { cause });
  });
}

/** `preload` loads the script before it is needed; it never rejects. */
export type LazyComponent<Props> = ComponentType<Props> & { readonly preload: () => Promise<void> };

/**
 * A component whose script is loaded when it is first rendered; until then `fallback` is shown. The error boundary of the page
 * tells when it cannot be loaded. Not React's `lazy`: that shows its fallback even for a script that is there, and what follows
 * a fallback of `Suspense` is held back for 300 ms.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  fallback: ReactNode = null,
): LazyComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  const ensureLoaded = async (): Promise<void> => {
    loaded ??= (await loadWithRetry(load)).default;
  };
  function Lazy(props: Props): ReactNode {
    const [problem, setProblem] = useState<unknown>();
    const [, setIsLoaded] = useState(false);
    useEffect(() => {
      if (!loaded) ensureLoaded().then(() => setIsLoaded(true), setProblem);
    }, []);
    if (problem !== undefined) throw problem;
    return loaded ? createElement(loaded, props) : fallback;
  }
  const preload = async (): Promise<void> => {
    if (!loaded) loaded = (await load().catch(() => undefined))?.default;
  };
  return Object.assign(Lazy, { preload });
}
