import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';

/** Another password; other sessions end with the old one. */
export function ChangePassword() {
  const { identity } = useConnection();
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
          Change it
        </button>
      </form>
      {change.isSuccess ? <p role="status">Changed.</p> : null}
      {change.error ? <Problem error={change.error} /> : null}
    </section>
  );
}
