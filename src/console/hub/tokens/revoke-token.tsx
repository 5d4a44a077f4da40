import { useState } from 'react';
import type { HubToken } from '../../../contract/hubs/hubs-api.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useClient } from '../../session/client.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';

export function RevokeToken({ token }: { token: HubToken }) {
  const { hubs } = useClient();
  const [isConfirming, setIsConfirming] = useState(false);
  const revoke = useInvalidatingMutation('hub-tokens', () => hubs.revokeToken(token.token_id));
  return (
    <>
      <button type="button" className="small destructive" onClick={() => setIsConfirming(true)}>
        Revoke…<span className="visually-hidden"> {token.name}</span>
      </button>
      {revoke.error ? <ErrorNotice error={revoke.error} /> : null}
      {isConfirming ? (
        <ConfirmDialog
          title={`Revoke ${token.name}`}
          consequence="Clients that use it are refused from the next call. This cannot be undone. Recorded calls stay in the audit."
          confirmationText={token.name}
          confirmLabel="Revoke"
          isPending={revoke.isPending}
          onConfirm={() => revoke.mutate(undefined, { onSettled: () => setIsConfirming(false) })}
          onClose={() => setIsConfirming(false)}
        />
      ) : null}
    </>
  );
}
