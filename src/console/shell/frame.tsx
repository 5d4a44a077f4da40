import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { toSentence } from '../components/error-notice.tsx';
import { useMediaQuery } from '../components/use-media-query.ts';
import { useCurrentHub } from '../hub/current-hub.ts';
import { LiveContext, useLiveChanges, useLiveState } from '../live/use-live.ts';
import { takeEarlyQuery } from '../palette/early-query.ts';
import Palette from '../palette/palette.tsx';
import { hubPath } from '../paths.ts';
import { useCurrentInstance } from './current-instance.ts';
import { instancePages } from './instance-pages.ts';
import { KeysHelp } from './keys-help.tsx';
import { Drawer, NarrowBar } from './narrow-bar.tsx';
import { Rail } from './rail.tsx';
import { useKeys } from './use-keys.ts';

/** The layout around every page of a signed-in user. */
export function Frame({ children }: { children: ReactNode }) {
  const live = useLiveChanges();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [paletteQuery, setPaletteQuery] = useState<string>();
  const mainRef = useFocusOnNavigation();
  const openHelp = useCallback(() => setIsHelpOpen(true), []);
  // Not loaded on demand: letters typed while it loads would be lost.
  const openPalette = useCallback((query = '') => setPaletteQuery(query), []);
  const openEmptyPalette = useCallback(() => openPalette(), [openPalette]);
  useNavigationKeys(openHelp, openEmptyPalette);
  usePaletteKey(openPalette);
  return (
    <LiveContext.Provider value={live}>
      <div className="shell">
        <a className="skip" href="#main">
          Skip to content
        </a>
        <Navigation onOpenHelp={openHelp} onOpenPalette={openEmptyPalette} />
        <main id="main" ref={mainRef} tabIndex={-1}>
          {children}
        </main>
      </div>
      <OfflineBar />
      {paletteQuery === undefined ? null : (
        <Palette initialQuery={paletteQuery} onClose={() => setPaletteQuery(undefined)} />
      )}
      {isHelpOpen ? <KeysHelp onClose={() => setIsHelpOpen(false)} /> : null}
    </LiveContext.Provider>
  );
}

type NavigationProps = { readonly onOpenHelp: () => void; readonly onOpenPalette: () => void };

/** The rail, or on narrow screens a bar that opens it as a drawer, which every navigation closes. */
function Navigation(props: NavigationProps) {
  const isWide = useMediaQuery('(min-width: 900px)');
  const [path] = useLocation();
  const [drawerPath, setDrawerPath] = useState<string>();
  if (isWide)
    return (
      <header className="rail">
        <Rail {...props} />
      </header>
    );
  const isOpen = drawerPath === path;
  return (
    <>
      <NarrowBar isOpen={isOpen} onOpenMenu={() => setDrawerPath(path)} onOpenPalette={props.onOpenPalette} />
      {isOpen ? (
        <Drawer onClose={() => setDrawerPath(undefined)}>
          <Rail {...props} />
        </Drawer>
      ) : null}
    </>
  );
}

/** Ctrl-K or ⌘K opens the palette, also while typing, and before the console was there. */
function usePaletteKey(openPalette: (query?: string) => void): void {
  useEffect(() => {
    const earlyQuery = takeEarlyQuery();
    if (earlyQuery !== undefined) openPalette(earlyQuery);
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) openPalette();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [openPalette]);
}

/** Shortcuts such as `g r`. */
function useNavigationKeys(openHelp: () => void, openPalette: () => void): void {
  const [, navigate] = useLocation();
  const instance = useCurrentInstance();
  const hub = useCurrentHub()?.slug;
  const actions = useMemo(
    () => ({
      '?': openHelp,
      'g o': () => navigate('/'),
      ...Object.fromEntries(
        instancePages.map(({ toPath, key }) => [
          `g ${key}`,
          () => navigate(instance === undefined ? '/' : toPath(instance)),
        ]),
      ),
      'g e': () => navigate('/settings/environments'),
      'g p': () => navigate('/settings/people'),
      'g h': () => navigate(hub === undefined ? '/hubs' : hubPath(hub)),
    }),
    [navigate, instance, hub, openHelp],
  );
  useKeys(actions, openPalette);
}

/** Moves the focus and the scroll position to the top of a new page. After going back, the browser restores the position. */
function useFocusOnNavigation() {
  const ref = useRef<HTMLElement>(null);
  const [path] = useLocation();
  const previousPath = useRef(path);
  const isBackNavigation = useRef(false);
  useEffect(() => {
    const onPopState = (): void => {
      isBackNavigation.current = true;
    };
    addEventListener('popstate', onPopState);
    return () => removeEventListener('popstate', onPopState);
  }, []);
  useEffect(() => {
    if (previousPath.current === path) return;
    previousPath.current = path;
    ref.current?.focus({ preventScroll: true });
    if (!isBackNavigation.current) scrollTo(0, 0);
    isBackNavigation.current = false;
  }, [path]);
  return ref;
}

/** Warns that the page may be out of date while the stream is broken. It neither covers nor moves the content. */
function OfflineBar() {
  const state = useLiveState();
  return (
    <div className="offline" role="status">
      {state.kind === 'broken' ? (
        <p>
          <strong>Connection lost.</strong> {toSentence(state.error.message)} This page shows the last known state.
          Reconnecting…
        </p>
      ) : null}
    </div>
  );
}
