import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/field.tsx';
import { useClient } from '../../session/client.ts';

/** Changing the password ends all other sessions. */
export function ChangePassword() {
  const { identity } = useClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () => identity.changePassword({ current, next }),
    onSuccess: () => {
      setCurrent('');
      setNext('');
    },
  });
  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          minLength={12}
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        <button type="submit" disabled={change.isPending}>
          Change password
        </button>
      </form>
      {change.isSuccess ? <p role="status">Password changed.</p> : null}
      {change.error ? <ErrorNotice error={change.error} /> : null}
    </section>
  );
}
