import { useMutation } from '@tanstack/react-query';
import type { HubToken } from '../../../contract/hubs/hubs-api.ts';
import { VpError } from '../../../errors/vp-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useClient } from '../../session/client.ts';
import { ReauthenticationDialog } from './reauthentication-dialog.tsx';
import { TokenDialog } from './token-dialog.tsx';

/** Asks for the password first if the last sign-in is too long ago. */
export function RevealToken({ token }: { token: HubToken }) {
  const { hubs } = useClient();
  const { mutate, reset, error, data, isPending } = useMutation({
    mutationFn: () => hubs.revealToken(token.token_id),
    gcTime: 0,
  });
  const isSignInStale = error instanceof VpError && error.code === 'SIGN_IN_NOT_RECENT';
  return (
    <>
      <button type="button" className="small" disabled={isPending} onClick={() => mutate()}>
        Reveal<span className="visually-hidden"> {token.name}</span>
      </button>
      {data ? <TokenDialog secret={data} onClose={reset} /> : null}
      {isSignInStale ? <ReauthenticationDialog error={error} onSignedIn={() => mutate()} onClose={reset} /> : null}
      {error && !isSignInStale ? <ErrorNotice error={error} /> : null}
    </>
  );
}
