import { type ReactNode, useEffect, useId, useRef } from 'react';

/**
 * A modal dialog, open while it is rendered. Escape and the close button call `onClose`. The element marked `data-first`
 * gets the focus first; on closing, the focus returns to the element that had it before.
 */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
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
    <dialog ref={ref} aria-labelledby={id} onCancel={onClose} onClose={onClose}>
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="quiet" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
