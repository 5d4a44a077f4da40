import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CommandLine } from '../components/command-line.tsx';
import { Field } from '../components/field.tsx';
import { useClient } from '../session/client.ts';
import { useSessionActions } from '../session/use-session.ts';
import { FormCard } from './form-card.tsx';
import { useFragmentSecret } from './use-fragment-secret.ts';

/** Sets a new password by a link of `vp reset-password`. */
export default function ResetPasswordPage() {
  const secret = useFragmentSecret();
  const { identity } = useClient();
  const { completeSignIn } = useSessionActions();
  const [password, setPassword] = useState('');
  const resetOffer = useQuery({
    queryKey: ['password-reset', secret],
    enabled: secret !== '',
    queryFn: ({ signal }) => identity.lookUpPasswordReset(secret, { signal }),
  });
  const reset = useMutation({
    mutationFn: () => identity.resetPassword({ secret, password }),
    onSuccess: async (response) => {
      await completeSignIn(response);
      location.assign('/');
    },
  });
  if (secret === '' || resetOffer.error) {
    return (
      <FormCard title="This link cannot be used" error={resetOffer.error} foot={<a href="/sign-in">Sign in</a>}>
        <p>A link works once, for 30 minutes, and must include the part after the #. To create a new one:</p>
        <CommandLine text="vp reset-password --email …" />
      </FormCard>
    );
  }
  if (!resetOffer.data) return <FormCard title="One moment…">{null}</FormCard>;
  const submit = { text: 'Set password and sign in', pending: reset.isPending, action: () => reset.mutate() };
  return (
    <FormCard title="Set a new password" submit={submit} error={reset.error}>
      <p>
        For <b>{resetOffer.data.name}</b>, {resetOffer.data.email}. This signs out all your sessions and every app that
        acts for you.
      </p>
      <input type="email" autoComplete="username" hidden readOnly value={resetOffer.data.email} />
      <Field
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        hint="At least 12 characters; a few words in a row are good."
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </FormCard>
  );
}
