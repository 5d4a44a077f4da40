import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useCurrentHub } from '../hub/current-hub.ts';
import { LiveContext, useLiveChanges } from '../live/use-live.ts';
import { useCurrentInstance } from './current-instance.ts';
import { KeysHelp } from './keys-help.tsx';
import { OfflineBar } from './offline-bar.tsx';
import { hubPath, runsPath, scenariosPath } from './paths.ts';
import { TopBar } from './top-bar.tsx';
import { useKeys } from './use-keys.ts';

const Palette = lazy(() => import('../palette/palette.tsx'));

/** What stands around every page of somebody signed in. */
export function Frame({ children }: { children: ReactNode }) {
  const live = useLiveChanges();
  const [helping, setHelping] = useState(false);
  const [going, setGoing] = useState(false);
  const main = useArrival();
  const help = useCallback(() => setHelping(true), []);
  const openPalette = useCallback(() => setGoing(true), []);
  useWays(help);
  usePaletteKey(openPalette);
  return (
    <LiveContext.Provider value={live}>
      <TopBar onHelp={help} onGo={openPalette} />
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      <OfflineBar />
      {going ? (
        <Suspense fallback={null}>
          <Palette onClose={() => setGoing(false)} />
        </Suspense>
      ) : null}
      {helping ? <KeysHelp onClose={() => setHelping(false)} /> : null}
    </LiveContext.Provider>
  );
}

/** Works while typing, too. */
function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) open();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open]);
}

/** `g r` and the like. */
function useWays(help: () => void): void {
  const [, go] = useLocation();
  const instance = useCurrentInstance();
  const hub = useCurrentHub()?.slug;
  const actions = useMemo(
    () => ({
      '?': help,
      'g r': () => go(instance === undefined ? '/' : runsPath(instance)),
      'g s': () => go(instance === undefined ? '/' : scenariosPath(instance)),
      'g e': () => go('/settings/environments'),
      'g p': () => go('/settings/people'),
      'g h': () => go(hub === undefined ? '/hubs' : hubPath(hub)),
    }),
    [go, instance, hub, help],
  );
  useKeys(actions);
}

/** A new page begins at its top with the focus on it; the way back is the browser's, who knows where one was. */
function useArrival() {
  const ref = useRef<HTMLElement>(null);
  const [path] = useLocation();
  const before = useRef(path);
  const back = useRef(false);
  useEffect(() => {
    const onBack = (): void => {
      back.current = true;
    };
    addEventListener('popstate', onBack);
    return () => removeEventListener('popstate', onBack);
  }, []);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    ref.current?.focus({ preventScroll: true });
    if (!back.current) scrollTo(0, 0);
    back.current = false;
  }, [path]);
  return ref;
}
