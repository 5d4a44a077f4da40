import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly isLocked?: boolean;
  readonly children: ReactNode;
};

/**
 * A modal dialog, open while it is rendered. Escape and the close button call `onClose`. The element marked `data-first`
 * gets the focus first; on closing, the focus returns to the element that had it before. With `isLocked` it stays open until
 * its content closes it.
 */
export function Dialog({ title, onClose, isLocked = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const isRemoved = useRef(false);
  const id = useId();
  // Not later than the dialog is gone: a key that is pressed then must not find the focus moved after it.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const previousFocus = document.activeElement;
    isRemoved.current = false;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      isRemoved.current = true;
      dialog?.close();
      // The browser restores the focus only for dialogs that are still in the document.
      if (previousFocus instanceof HTMLElement) previousFocus.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      // Browsers close a dialog at the second Escape without asking, unless the key itself is prevented.
      onKeyDown={(event) => event.key === 'Escape' && isLocked && event.preventDefault()}
      onCancel={(event) => (isLocked ? event.preventDefault() : onClose())}
      onClose={() => !isLocked && !isRemoved.current && onClose()}
    >
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        {isLocked ? null : (
          <button type="button" className="quiet" onClick={onClose} aria-label="Close">
            ✕
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
