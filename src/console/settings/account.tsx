import { useWhoami } from '../session/use-session.ts';
import { ApiKeys } from './api-keys.tsx';
import { ChangePassword } from './change-password.tsx';
import { Grants } from './grants.tsx';
import { Sessions } from './sessions.tsx';

/** What belongs to the signed-in person. */
export function Account() {
  const hasPassword = useWhoami()?.person?.has_password === true;
  return (
    <>
      <Sessions />
      <Grants />
      <ApiKeys />
      {hasPassword && <ChangePassword />}
    </>
  );
}
