import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useClient } from '../../session/client.ts';
import { SecretDialog } from '../secret-dialog.tsx';

export function RotateExecutorKey({ instance }: { instance: string }) {
  const { instances } = useClient();
  const [isConfirming, setIsConfirming] = useState(false);
  const rotate = useMutation({
    mutationFn: () => instances.rotateKey(instance),
    onSettled: () => setIsConfirming(false),
  });
  return (
    <>
      <button type="button" onClick={() => setIsConfirming(true)}>
        Rotate key…
      </button>
      {rotate.error ? <ErrorNotice error={rotate.error} /> : null}
      {isConfirming ? (
        <ConfirmDialog
          title={`Rotate the executor key of ${instance}`}
          consequence="The old key stops working immediately. The executor receives no runs until it has the new key."
          confirmationText={instance}
          confirmLabel="Rotate key"
          isPending={rotate.isPending}
          onConfirm={() => rotate.mutate()}
          onClose={() => setIsConfirming(false)}
        />
      ) : null}
      {rotate.data ? (
        <SecretDialog
          title={`Executor key of ${instance}`}
          secret={rotate.data.executor_key}
          hint="Give it to the executor as VP_EXECUTOR_KEY."
          onClose={rotate.reset}
        />
      ) : null}
    </>
  );
}
