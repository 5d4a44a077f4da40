import { useCallback, useEffect, useRef, useState } from 'react';

const restMs = 2_000;
const nearTopPx = 160;

/**
 * True while somebody reads or is about to press something: the page is scrolled down, the pointer moved over the list, or
 * the focus is in it. New rows then wait. `release` lets them in.
 */
export function useHold() {
  const ref = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const judge = useCallback((moved: boolean) => {
    const focused = ref.current?.contains(document.activeElement) === true;
    setHeld(scrollY > nearTopPx || focused || moved);
  }, []);
  const onPointerMove = useCallback(() => {
    judge(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => judge(false), restMs);
  }, [judge]);
  useEffect(() => {
    const settle = (): void => judge(false);
    addEventListener('scroll', settle, { passive: true });
    return () => {
      removeEventListener('scroll', settle);
      clearTimeout(timer.current);
    };
  }, [judge]);
  const release = useCallback(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    scrollTo({ top: 0 });
    setHeld(false);
  }, []);
  return { held, release, listProps: { ref, onPointerMove, onFocus: () => judge(false), onBlur: () => judge(false) } };
}
