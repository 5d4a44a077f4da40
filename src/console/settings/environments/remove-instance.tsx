import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useClient } from '../../session/client.ts';

export function RemoveInstance({ instance }: { instance: string }) {
  const { instances } = useClient();
  const queries = useQueryClient();
  const [isConfirming, setIsConfirming] = useState(false);
  const remove = useMutation({
    mutationFn: () => instances.remove(instance),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['instances'] }),
    onSettled: () => setIsConfirming(false),
  });
  return (
    <>
      <button type="button" className="destructive" onClick={() => setIsConfirming(true)}>
        Remove…
      </button>
      {remove.error ? <ErrorNotice error={remove.error} /> : null}
      {isConfirming ? (
        <ConfirmDialog
          title={`Remove ${instance}`}
          consequence="Its key, its scenarios with their history, and all its runs with their reports are deleted. Only a backup can restore them."
          confirmationText={instance}
          confirmLabel="Remove"
          isPending={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setIsConfirming(false)}
        />
      ) : null}
    </>
  );
}
