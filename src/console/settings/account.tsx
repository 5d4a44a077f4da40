import { ApiKeys } from './api-keys.tsx';
import { ChangePassword } from './change-password.tsx';
import { Grants } from './grants.tsx';
import { Sessions } from './sessions.tsx';

/** What belongs to the signed-in person. */
export function Account() {
  return (
    <>
      <Sessions />
      <Grants />
      <ApiKeys />
      <ChangePassword />
    </>
  );
}
