import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SignInResponse } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { CommandLine } from '../components/command-line.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { useClient } from '../session/client.ts';
import { useSessionActions } from '../session/use-session.ts';
import { FormCard } from './form-card.tsx';

type SignInFormProps = { readonly children?: ReactNode; readonly onSignedIn?: (response: SignInResponse) => void };

export function SignInForm({ children, onSignedIn }: SignInFormProps) {
  const { identity } = useClient();
  const { completeSignIn } = useSessionActions();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const isProviderUnreachable = useIsProviderUnreachable();
  const options = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: ({ signal }) => identity.getSignInOptions({ signal }),
  });
  const signIn = useMutation({
    mutationFn: () => identity.signIn({ email, password }),
    onSuccess: async (response) => {
      await completeSignIn(response);
      onSignedIn?.(response);
    },
    onError: () => setPassword(''),
  });
  if (options.data?.setup_needed) return <SetupNeeded />;
  const provider = options.data?.single_sign_on ?? undefined;
  const submit = { text: 'Sign in', pending: signIn.isPending, action: () => signIn.mutate() };
  return (
    <FormCard
      title="Sign in"
      submit={submit}
      error={signIn.error}
      foot={provider && <SingleSignOnLink name={provider.name} />}
    >
      {children}
      {provider && isProviderUnreachable ? (
        <ErrorNotice error={vpError('SINGLE_SIGN_ON_UNREACHABLE', { name: provider.name })} />
      ) : null}
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
    </FormCard>
  );
}

function SingleSignOnLink({ name }: { name: string }) {
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
    <FormCard title="No accounts yet">
      <p>
        Create the first account with the setup link that <code>vp serve</code> printed when it started. To create a new
        link:
      </p>
      <CommandLine text="vp setup-link" />
    </FormCard>
  );
}

const providerUnreachableHash = '#provider-away';

/** True after the server sent the browser back because the single sign-on provider is unreachable. Removes the mark from the address bar. */
function useIsProviderUnreachable(): boolean {
  const [isUnreachable] = useState(() => {
    const hasMark = location.hash === providerUnreachableHash;
    if (hasMark) history.replaceState(history.state, '', location.pathname + location.search);
    return hasMark;
  });
  return isUnreachable;
}
