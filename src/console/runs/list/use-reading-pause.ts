import { useCallback, useEffect, useRef, useState } from 'react';

const pauseMs = 2_000;
const nearTopPx = 160;

/**
 * Pauses the list while the user reads or is about to click: the page is scrolled down, the pointer moves over the list, or
 * the focus is in it. New rows wait until the pause ends or `resume` is called.
 */
export function useReadingPause() {
  const ref = useRef<HTMLDivElement>(null);
  const [isPaused, setIsPaused] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const update = useCallback((hasPointerMoved: boolean) => {
    const hasFocus = ref.current?.contains(document.activeElement) === true;
    setIsPaused(scrollY > nearTopPx || hasFocus || hasPointerMoved);
  }, []);
  const onPointerMove = useCallback(() => {
    update(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => update(false), pauseMs);
  }, [update]);
  useEffect(() => {
    const onScroll = (): void => update(false);
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      removeEventListener('scroll', onScroll);
      clearTimeout(timer.current);
    };
  }, [update]);
  const resume = useCallback(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    scrollTo({ top: 0 });
    setIsPaused(false);
  }, []);
  return {
    isPaused,
    resume,
    listProps: { ref, onPointerMove, onFocus: () => update(false), onBlur: () => update(false) },
  };
}
