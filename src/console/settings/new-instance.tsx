import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { ShownOnce } from './shown-once.tsx';

/** Registers an instance and shows its key. */
export function NewInstance() {
  const { instances } = useConnection();
  const queries = useQueryClient();
  const [id, setId] = useState('');
  const create = useMutation({
    mutationFn: () => instances.create({ instance_id: id }),
    onSuccess: () => {
      setId('');
      void queries.invalidateQueries({ queryKey: ['instances'] });
    },
  });
  return (
    <section className="add">
      <h2>Register an environment</h2>
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Field
          label="Instance id"
          required
          maxLength={22}
          autoComplete="off"
          spellCheck={false}
          hint="Lowercase letters, digits and hyphens, at most 22."
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <button type="submit" disabled={create.isPending}>
          Register
        </button>
      </form>
      {create.error ? <Problem error={create.error} /> : null}
      {create.data ? (
        <ShownOnce
          title={`Executor key of ${create.data.instance.instance_id}`}
          secret={create.data.executor_key}
          hint="Give it to the executor as VP_EXECUTOR_KEY."
          onClose={create.reset}
        />
      ) : null}
    </section>
  );
}
