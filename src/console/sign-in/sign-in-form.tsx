import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SignedIn } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { Command } from '../parts/command.tsx';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { useSignedIn } from '../session/use-session.ts';
import { Card } from './card.tsx';
import { useProviderAway } from './provider-away.ts';

type SignInFormProps = { readonly children?: ReactNode; readonly onSignedIn?: (answer: SignedIn) => void };

/** Email and password, and single sign-on where there is one. */
export function SignInForm({ children, onSignedIn }: SignInFormProps) {
  const { identity } = useConnection();
  const { signedIn } = useSignedIn();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const isAway = useProviderAway();
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
  const provider = options.data?.single_sign_on ?? undefined;
  const submit = { text: 'Sign in', pending: signIn.isPending, action: () => signIn.mutate() };
  return (
    <Card title="Sign in" submit={submit} error={signIn.error} foot={provider && <OtherWay name={provider.name} />}>
      {children}
      {provider && isAway ? <Problem error={vpError('SINGLE_SIGN_ON_UNREACHABLE', { name: provider.name })} /> : null}
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
    </Card>
  );
}

function OtherWay({ name }: { name: string }) {
  const back = encodeURIComponent(location.pathname + location.search);
  return (
    <>
      <a className="button" href={`/api/v1/single-sign-on?back=${back}`}>
        Sign in with {name}
      </a>
      <p className="faint">Signing out here does not sign you out at {name}.</p>
    </>
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
