import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { keepProof } from '../session/credential.ts';
import { useWhoami } from '../session/use-session.ts';
import { toldOf } from '../words/problem.ts';

type SignInAgainProps = {
  /** Why it is asked for. */
  readonly error: unknown;
  readonly onSignedIn: () => void;
  readonly onClose: () => void;
};

/** Asks for the password of whoever is signed in, and leaves the page as it is. */
export function SignInAgain({ error, onSignedIn, onClose }: SignInAgainProps) {
  const { identity } = useConnection();
  const email = useWhoami()?.person?.email ?? '';
  const [password, setPassword] = useState('');
  const { data: options } = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: ({ signal }) => identity.signInOptions({ signal }),
  });
  const provider = options?.single_sign_on;
  const signIn = useMutation({
    mutationFn: () => identity.signIn({ email, password }),
    onSuccess: ({ proof }) => {
      keepProof(proof);
      onSignedIn();
    },
    onError: () => setPassword(''),
  });
  const back = encodeURIComponent(location.pathname);
  return (
    <Dialog title="Is it you?" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <p>{toldOf(error).message}.</p>
        <Field label="Email" type="email" autoComplete="username" readOnly value={email} />
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          data-first
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        {signIn.error ? <Problem error={signIn.error} /> : null}
        <footer className="dialog-foot">
          {provider ? (
            <a className="button" href={`/api/v1/single-sign-on?back=${back}`}>
              Sign in with {provider.name}
            </a>
          ) : (
            <span />
          )}
          <button type="submit" className="strong" disabled={signIn.isPending}>
            Go on
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
