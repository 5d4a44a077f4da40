import { useWhoami } from '../../session/use-session.ts';
import { ApiKeys } from './api-keys.tsx';
import { ChangePassword } from './change-password.tsx';
import { ConnectedApps } from './connected-apps.tsx';
import { Sessions } from './sessions.tsx';

export function AccountPage() {
  const hasPassword = useWhoami()?.person?.has_password === true;
  return (
    <>
      <Sessions />
      <ConnectedApps />
      <ApiKeys />
      {hasPassword && <ChangePassword />}
    </>
  );
}
