import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SingleSignOnResult } from '../../contract/identity-api.ts';
import { Field } from '../parts/field.tsx';
import { useConnection } from '../session/connection.ts';
import { useSignedIn } from '../session/use-session.ts';
import { Card } from './card.tsx';

/** Where the provider of single sign-on sends the browser back to. */
export default function SingleSignOnPage() {
  const [query] = useState(() => location.search);
  const { identity } = useConnection();
  const arrive = useArrive();
  const { mutate, data, error } = useMutation({
    mutationFn: () => identity.finishSingleSignOn(query),
    onSuccess: arrive,
  });
  useEffect(() => {
    if (query === '') return;
    // It is good once: it leaves the address bar and the history.
    history.replaceState(history.state, '', location.pathname);
    mutate();
  }, [query, mutate]);
  if (error || query === '') {
    return (
      <Card title="Not signed in" error={error} foot={<a href="/sign-in">To the sign-in page</a>}>
        {query === '' ? <p>This page has nothing to go on with: begin at the sign-in page.</p> : null}
      </Card>
    );
  }
  if (data?.password_needed_for) return <Connect email={data.password_needed_for} />;
  return <Card title="Signing in…">{null}</Card>;
}

/** Goes on where the person wanted to. */
function useArrive(): (result: SingleSignOnResult) => Promise<void> {
  const { signedIn } = useSignedIn();
  return async ({ signed_in: answer, back }) => {
    if (!answer) return;
    await signedIn(answer);
    location.replace(back);
  };
}

function Connect({ email }: { email: string }) {
  const { identity } = useConnection();
  const arrive = useArrive();
  const [password, setPassword] = useState('');
  const connect = useMutation({
    mutationFn: () => identity.connectSingleSignOn(password),
    onSuccess: arrive,
    onError: () => setPassword(''),
  });
  const submit = { text: 'Connect and sign in', pending: connect.isPending, action: () => connect.mutate() };
  return (
    <Card title="Is this your account?" submit={submit} error={connect.error} foot={<a href="/sign-in">Not now</a>}>
      <p>
        There is an account here for <b>{email}</b>. Type its password once: from then on either way signs you in.
      </p>
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </Card>
  );
}
