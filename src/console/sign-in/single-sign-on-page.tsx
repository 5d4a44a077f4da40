import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SingleSignOnResult } from '../../contract/identity-api.ts';
import { Field } from '../components/field.tsx';
import { useClient } from '../session/client.ts';
import { useSessionActions } from '../session/use-session.ts';
import { FormCard } from './form-card.tsx';

/** The page that the single sign-on provider redirects the browser to. */
export default function SingleSignOnPage() {
  const [query] = useState(() => location.search);
  const { identity } = useClient();
  const finishSignIn = useFinishSignIn();
  const { mutate, data, error } = useMutation({
    mutationFn: () => identity.finishSingleSignOn(query),
    onSuccess: finishSignIn,
  });
  useEffect(() => {
    if (query === '') return;
    // The response is valid once, so it is removed from the address bar and the history.
    history.replaceState(history.state, '', location.pathname);
    mutate();
  }, [query, mutate]);
  if (error || query === '') {
    return (
      <FormCard title="Not signed in" error={error} foot={<a href="/sign-in">Go to the sign-in page</a>}>
        {query === '' ? <p>No sign-in is in progress. Start at the sign-in page.</p> : null}
      </FormCard>
    );
  }
  if (data?.password_needed_for) return <ConnectAccount email={data.password_needed_for} />;
  return <FormCard title="Signing in…">{null}</FormCard>;
}

/** Returns to the page that the person originally opened. */
function useFinishSignIn(): (result: SingleSignOnResult) => Promise<void> {
  const { completeSignIn } = useSessionActions();
  return async ({ signed_in: response, back }) => {
    if (!response) return;
    await completeSignIn(response);
    location.replace(back);
  };
}

function ConnectAccount({ email }: { email: string }) {
  const { identity } = useClient();
  const finishSignIn = useFinishSignIn();
  const [password, setPassword] = useState('');
  const connect = useMutation({
    mutationFn: () => identity.connectSingleSignOn(password),
    onSuccess: finishSignIn,
    onError: () => setPassword(''),
  });
  const submit = { text: 'Connect and sign in', pending: connect.isPending, action: () => connect.mutate() };
  return (
    <FormCard title="Is this your account?" submit={submit} error={connect.error} foot={<a href="/sign-in">Not now</a>}>
      <p>
        An account for <b>{email}</b> already exists here. Enter its password once. After that you can sign in either
        way.
      </p>
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </FormCard>
  );
}
