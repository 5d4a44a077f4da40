import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmTyped } from '../parts/confirm-typed.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';

/** Takes an instance out, with everything that belongs to it. */
export function RemoveInstance({ instance }: { instance: string }) {
  const { instances } = useConnection();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => instances.remove(instance),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['instances'] }),
    onSettled: () => setAsking(false),
  });
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Remove…
      </button>
      {remove.error ? <Problem error={remove.error} /> : null}
      {asking ? (
        <ConfirmTyped
          title={`Remove ${instance}`}
          loss="Its key, its scenarios with their history, and all its runs with their reports are deleted. A backup is the only way back."
          word={instance}
          action="Remove it"
          pending={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}
