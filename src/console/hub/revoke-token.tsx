import { useState } from 'react';
import type { HubToken } from '../../contract/hub-api.ts';
import { ConfirmTyped } from '../parts/confirm-typed.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { useChange } from './use-change.ts';

/** Ends a token at once. */
export function RevokeToken({ token }: { token: HubToken }) {
  const { hubs } = useConnection();
  const [asking, setAsking] = useState(false);
  const end = useChange('hub-tokens', () => hubs.endToken(token.token_id));
  return (
    <>
      <button type="button" className="quiet" onClick={() => setAsking(true)}>
        Revoke…<span className="unseen"> {token.name}</span>
      </button>
      {end.error ? <Problem error={end.error} /> : null}
      {asking ? (
        <ConfirmTyped
          title={`Revoke ${token.name}`}
          loss="Whatever uses it is refused from the next call on, and it cannot be brought back. What was called with it stays in the audit."
          word={token.name}
          action="Revoke"
          pending={end.isPending}
          onConfirm={() => end.mutate(undefined, { onSettled: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}
