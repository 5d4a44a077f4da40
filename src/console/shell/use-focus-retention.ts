import { useEffect } from 'react';
import { captureFocusPosition, type FocusPosition, focusNearby } from '../components/focus-position.ts';

/**
 * Keeps the focus where the person works. A button that is disabled during its request gets it back afterwards; if the focused
 * element disappears, its neighbour gets it. What a component focuses itself, and a click elsewhere, are left alone.
 */
export function useFocusRetention(): void {
  useEffect(() => {
    let position: FocusPosition | undefined;
    /** What had the focus before the dialog that has it now. */
    let opener: FocusPosition | undefined;
    // The browser takes the focus from a disabled element with the next frame, without an event.
    let wasDisabled = false;
    let isScheduled = false;
    /** What got the focus, until a key is released. */
    let receiver: Element | null = null;
    const onFocusIn = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement)) return;
      opener = findOpener(target, position, opener);
      position = captureFocusPosition(target);
      wasDisabled = false;
    };
    const forget = (): void => {
      position = undefined;
    };
    const restore = (): void => {
      isScheduled = false;
      // Where nothing had the focus before a dialog, nothing has it afterwards.
      const target = position?.dialog?.isConnected === false ? opener : position;
      if (!target || !isFocusLost()) return;
      restoreFocus(target);
      receiver = document.activeElement;
    };
    // A key that is still held down was meant for the element before.
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.repeat && event.key === 'Enter' && event.target === receiver) event.preventDefault();
    };
    const onKeyUp = (): void => {
      receiver = null;
    };
    const observer = new MutationObserver(() => {
      if (!position || isScheduled) return;
      const { element } = position;
      if (element.isConnected && element.matches(':disabled')) wasDisabled = true;
      else if (!isFocusLost()) wasDisabled = false;
      else if (wasDisabled || !element.isConnected) {
        isScheduled = true;
        // In a task of its own, after the effects of components, which may focus something else.
        setTimeout(restore);
      }
    });
    document.addEventListener('focusin', onFocusIn);
    document.addEventListener('pointerdown', forget, true);
    document.addEventListener('keydown', onKeyDown, true);
    document.addEventListener('keyup', onKeyUp, true);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', onFocusIn);
      document.removeEventListener('pointerdown', forget, true);
      document.removeEventListener('keydown', onKeyDown, true);
      document.removeEventListener('keyup', onKeyUp, true);
    };
  }, []);
}

function findOpener(
  target: HTMLElement,
  previous: FocusPosition | undefined,
  opener: FocusPosition | undefined,
): FocusPosition | undefined {
  const dialog = target.closest('dialog');
  if (!dialog) return undefined;
  return previous?.dialog === dialog ? opener : previous;
}

function restoreFocus(position: FocusPosition): void {
  const { element } = position;
  if (!element.isConnected) focusNearby(position);
  else if (!element.matches(':disabled')) element.focus({ preventScroll: true });
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
