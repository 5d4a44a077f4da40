import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmTyped } from '../parts/confirm-typed.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { ShownOnce } from './shown-once.tsx';

/** A new executor key in place of the old one. */
export function RotateKey({ instance }: { instance: string }) {
  const { instances } = useConnection();
  const [asking, setAsking] = useState(false);
  const rotate = useMutation({ mutationFn: () => instances.rotateKey(instance), onSettled: () => setAsking(false) });
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        New key…
      </button>
      {rotate.error ? <Problem error={rotate.error} /> : null}
      {asking ? (
        <ConfirmTyped
          title={`New executor key for ${instance}`}
          loss="The old key ends at once: the executor stops getting runs until it has the new one."
          word={instance}
          action="Make a new key"
          pending={rotate.isPending}
          onConfirm={() => rotate.mutate()}
          onClose={() => setAsking(false)}
        />
      ) : null}
      {rotate.data ? (
        <ShownOnce
          title={`Executor key of ${instance}`}
          secret={rotate.data.executor_key}
          hint="Give it to the executor as VP_EXECUTOR_KEY."
          onClose={rotate.reset}
        />
      ) : null}
    </>
  );
}
