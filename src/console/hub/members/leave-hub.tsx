import { useState } from 'react';
import { useLocation } from 'wouter';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useClient } from '../../session/client.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';

export function LeaveHub({ hub }: { hub: string }) {
  const { hubs } = useClient();
  const [, navigate] = useLocation();
  const [isConfirming, setIsConfirming] = useState(false);
  const leaveHub = useInvalidatingMutation(
    'hubs',
    () => hubs.leave(hub),
    () => navigate('/hubs'),
  );
  return (
    <section aria-labelledby="leave">
      <h2 id="leave">Leave this hub</h2>
      <p className="actions">
        <button type="button" className="destructive" onClick={() => setIsConfirming(true)}>
          Leave…
        </button>
      </p>
      {leaveHub.error ? <ErrorNotice error={leaveHub.error} /> : null}
      {isConfirming ? (
        <ConfirmDialog
          title={`Leave ${hub}`}
          consequence="Your tokens for this hub stop working immediately. Only an owner can add you again."
          confirmationText={hub}
          confirmLabel="Leave"
          isPending={leaveHub.isPending}
          onConfirm={() => leaveHub.mutate(undefined, { onSettled: () => setIsConfirming(false) })}
          onClose={() => setIsConfirming(false)}
        />
      ) : null}
    </section>
  );
}
