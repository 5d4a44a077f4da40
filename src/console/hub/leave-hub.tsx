import { useState } from 'react';
import { useLocation } from 'wouter';
import { ConfirmTyped } from '../parts/confirm-typed.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { useChange } from './use-change.ts';

/** Ends one's own membership. */
export function LeaveHub({ hub }: { hub: string }) {
  const { hubs } = useConnection();
  const [, go] = useLocation();
  const [asking, setAsking] = useState(false);
  const leave = useChange(
    'hubs',
    () => hubs.leave(hub),
    () => go('/hubs'),
  );
  return (
    <section aria-labelledby="leave">
      <h2 id="leave">Leave this hub</h2>
      <p className="actions">
        <button type="button" onClick={() => setAsking(true)}>
          Leave…
        </button>
      </p>
      {leave.error ? <Problem error={leave.error} /> : null}
      {asking ? (
        <ConfirmTyped
          title={`Leave ${hub}`}
          loss="Your tokens of this hub are refused from the next call on. Only an owner can add you again."
          word={hub}
          action="Leave"
          pending={leave.isPending}
          onConfirm={() => leave.mutate(undefined, { onSettled: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </section>
  );
}
