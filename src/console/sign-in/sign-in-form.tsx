import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SignedIn } from '../../contract/identity-api.ts';
import { Command } from '../parts/command.tsx';
import { Field } from '../parts/field.tsx';
import { useConnection } from '../session/connection.ts';
import { useSignedIn } from '../session/use-session.ts';
import { Card } from './card.tsx';

type SignInFormProps = { readonly children?: ReactNode; readonly onSignedIn?: (answer: SignedIn) => void };

/** Email and password, and single sign-on where there is one. */
export function SignInForm({ children, onSignedIn }: SignInFormProps) {
  const { identity } = useConnection();
  const { signedIn } = useSignedIn();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const options = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: ({ signal }) => identity.signInOptions({ signal }),
  });
  const signIn = useMutation({
    mutationFn: () => identity.signIn({ email, password }),
    onSuccess: async (answer) => {
      await signedIn(answer);
      onSignedIn?.(answer);
    },
    onError: () => setPassword(''),
  });
  if (options.data?.setup_needed) return <SetupNeeded />;
  const name = options.data?.single_sign_on;
  const submit = { text: 'Sign in', pending: signIn.isPending, action: () => signIn.mutate() };
  return (
    <Card title="Sign in" submit={submit} error={signIn.error}>
      {children}
      <Field
        label="Email"
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {name ? (
        <a
          className="button"
          href={`/api/v1/single-sign-on?back=${encodeURIComponent(location.pathname + location.search)}`}
        >
          Sign in with {name}
        </a>
      ) : null}
    </Card>
  );
}

function SetupNeeded() {
  return (
    <Card title="Nobody has an account yet">
      <p>
        The first one is made by the setup link that <code>vp serve</code> printed when it started. A new one:
      </p>
      <Command text="vp setup-link" />
    </Card>
  );
}
