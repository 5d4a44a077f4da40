import { useMutation } from '@tanstack/react-query';
import type { HubToken } from '../../contract/hub-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { SignInAgain } from './sign-in-again.tsx';
import { TokenShown } from './token-shown.tsx';

/** Shows a token again; asks for the password first where the last sign-in is too long ago. */
export function RevealToken({ token }: { token: HubToken }) {
  const { hubs } = useConnection();
  const { mutate, reset, error, data, isPending } = useMutation({
    mutationFn: () => hubs.revealToken(token.token_id),
    gcTime: 0,
  });
  const isOld = error instanceof VpError && error.code === 'SIGN_IN_NOT_RECENT';
  return (
    <>
      <button type="button" className="quiet" disabled={isPending} onClick={() => mutate()}>
        Reveal<span className="unseen"> {token.name}</span>
      </button>
      {data ? <TokenShown shown={data} onClose={reset} /> : null}
      {isOld ? <SignInAgain error={error} onSignedIn={() => mutate()} onClose={reset} /> : null}
      {error && !isOld ? <Problem error={error} /> : null}
    </>
  );
}
