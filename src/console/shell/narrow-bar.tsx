import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';

type NarrowBarProps = { readonly isOpen: boolean; readonly onOpenMenu: () => void; readonly onOpenPalette: () => void };

/** On narrow screens it stands for the rail, which it opens as a drawer. */
export function NarrowBar({ isOpen, onOpenMenu, onOpenPalette }: NarrowBarProps) {
  return (
    <header className="narrow-bar">
      <button type="button" aria-haspopup="dialog" aria-expanded={isOpen} onClick={onOpenMenu}>
        <span aria-hidden="true">☰</span> Menu
      </button>
      <Link href="/" className="brand">
        vp
      </Link>
      <span className="grow" />
      <button type="button" className="quiet" onClick={onOpenPalette}>
        Go to
      </button>
    </header>
  );
}

/** The rail as a modal drawer. Escape, a click beside it and every followed link close it. */
export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const drawer = ref.current;
    const previousFocus = document.activeElement;
    drawer?.showModal();
    return () => {
      drawer?.close();
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus();
    };
  }, []);
  const closeOnLink = ({ target, currentTarget }: MouseEvent): void => {
    if (target === currentTarget || (target instanceof Element && target.closest('a, .go-to'))) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, and Enter on a link is a click
    <dialog ref={ref} className="drawer" aria-label="Menu" onCancel={onClose} onClose={onClose} onClick={closeOnLink}>
      <div className="rail">
        <button type="button" className="quiet drawer-close" onClick={onClose} aria-label="Close menu">
          ✕
        </button>
        {children}
      </div>
    </dialog>
  );
}
