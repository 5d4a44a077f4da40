import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useSessionActions, useWhoami } from '../session/use-session.ts';

/** People, the account and signing out. It closes on Escape, on a click elsewhere and on a followed link. */
export function AccountMenu() {
  const whoami = useWhoami();
  const { signOut } = useSessionActions();
  const ref = useRef<HTMLDetailsElement>(null);
  useCloseMenu(ref);
  if (!whoami) return null;
  const name = whoami.person?.name ?? 'owner key';
  return (
    <details className="menu" ref={ref}>
      <summary aria-label={`Account: ${name}`} title={name}>
        <span className="avatar" aria-hidden="true">
          {name.slice(0, 1).toUpperCase()}
        </span>
      </summary>
      <div className="menu-body">
        <p>
          <strong>{name}</strong>
          <br />
          <span className="faint">
            {whoami.person?.email} {whoami.role}
          </span>
        </p>
        <Link href="/settings/notifications">Notifications</Link>
        <Link href="/settings/people">People</Link>
        <Link href="/settings/account">Your account</Link>
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </details>
  );
}

function useCloseMenu(ref: React.RefObject<HTMLDetailsElement | null>): void {
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path closes the menu
  useEffect(() => {
    if (ref.current) ref.current.open = false;
  }, [ref, path]);
  useEffect(() => {
    const close = (isEscape: boolean): void => {
      const menu = ref.current;
      if (!menu?.open) return;
      menu.open = false;
      if (isEscape) menu.querySelector('summary')?.focus();
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close(true);
    };
    const onPointer = ({ target }: PointerEvent): void => {
      if (target instanceof Node && !ref.current?.contains(target)) close(false);
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onPointer);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onPointer);
    };
  }, [ref]);
}
