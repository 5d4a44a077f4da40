import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Command } from '../parts/command.tsx';
import { Field } from '../parts/field.tsx';
import { useConnection } from '../session/connection.ts';
import { useSignedIn } from '../session/use-session.ts';
import { Card } from './card.tsx';
import { useFragmentSecret } from './fragment.ts';

/** Sets a new password by a link of `vp reset-password`. */
export default function ResetPasswordPage() {
  const secret = useFragmentSecret();
  const { identity } = useConnection();
  const { signedIn } = useSignedIn();
  const [password, setPassword] = useState('');
  const offer = useQuery({
    queryKey: ['password-reset', secret],
    enabled: secret !== '',
    queryFn: ({ signal }) => identity.lookUpPasswordReset(secret, { signal }),
  });
  const reset = useMutation({
    mutationFn: () => identity.resetPassword({ secret, password }),
    onSuccess: async (answer) => {
      await signedIn(answer);
      location.assign('/');
    },
  });
  if (secret === '' || offer.error) {
    return (
      <Card title="This link cannot be used" error={offer.error} foot={<a href="/sign-in">Sign in</a>}>
        <p>A link is good once, for 30 minutes, and whole with what stands behind the #. A new one:</p>
        <Command text="vp reset-password --email …" />
      </Card>
    );
  }
  if (!offer.data) return <Card title="One moment…">{null}</Card>;
  const submit = { text: 'Set it and sign in', pending: reset.isPending, action: () => reset.mutate() };
  return (
    <Card title="A new password" submit={submit} error={reset.error}>
      <p>
        For <b>{offer.data.name}</b>, {offer.data.email}. Wherever you are signed in now, and every program that acts
        for you, is signed out.
      </p>
      <input type="email" autoComplete="username" hidden readOnly value={offer.data.email} />
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
    </Card>
  );
}
