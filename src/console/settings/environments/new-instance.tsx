import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/field.tsx';
import { useClient } from '../../session/client.ts';
import { SecretDialog } from '../secret-dialog.tsx';

export function NewInstanceForm() {
  const { instances } = useClient();
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
          label="Environment id"
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
      {create.error ? <ErrorNotice error={create.error} /> : null}
      {create.data ? (
        <SecretDialog
          title={`Executor key of ${create.data.instance.instance_id}`}
          secret={create.data.executor_key}
          hint="Give it to the executor as VP_EXECUTOR_KEY."
          onClose={create.reset}
        />
      ) : null}
    </section>
  );
}
