import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/field.tsx';
import { useClient } from '../../session/client.ts';
import { storeProof } from '../../session/credential.ts';
import { useWhoami } from '../../session/use-session.ts';
import { describeError } from '../../text/error-description.ts';

type ReauthenticationDialogProps = {
  readonly error: unknown;
  readonly onSignedIn: () => void;
  readonly onClose: () => void;
};

/** Asks the signed-in person for the password without leaving the page. */
export function ReauthenticationDialog({ error, onSignedIn, onClose }: ReauthenticationDialogProps) {
  const { identity } = useClient();
  const email = useWhoami()?.person?.email ?? '';
  const [password, setPassword] = useState('');
  const { data: options } = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: ({ signal }) => identity.getSignInOptions({ signal }),
  });
  const provider = options?.single_sign_on;
  const signIn = useMutation({
    mutationFn: () => identity.signIn({ email, password }),
    onSuccess: ({ proof }) => {
      storeProof(proof);
      onSignedIn();
    },
    onError: () => setPassword(''),
  });
  const back = encodeURIComponent(location.pathname);
  return (
    <Dialog title="Confirm your password" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <p>{describeError(error).message}.</p>
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
        {signIn.error ? <ErrorNotice error={signIn.error} /> : null}
        <footer className="dialog-foot">
          {provider ? (
            <a className="button" href={`/api/v1/single-sign-on?back=${back}`}>
              Sign in with {provider.name}
            </a>
          ) : (
            <span />
          )}
          <button type="submit" className="strong" disabled={signIn.isPending}>
            Continue
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
