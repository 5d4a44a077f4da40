import { type ReactNode, useEffect, useId, useRef } from 'react';

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
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const previousFocus = document.activeElement;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
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
      onClose={() => !isLocked && onClose()}
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
