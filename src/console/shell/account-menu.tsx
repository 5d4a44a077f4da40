import { Link } from 'wouter';
import { useSessionActions, useWhoami } from '../session/use-session.ts';

export function AccountMenu() {
  const whoami = useWhoami();
  const { signOut } = useSessionActions();
  if (!whoami) return null;
  const name = whoami.person?.name ?? 'owner key';
  return (
    <details className="menu">
      <summary aria-label={`Account: ${name}`}>
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
        <Link href="/settings/account">Sessions and keys</Link>
        <button type="button" className="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </details>
  );
}
