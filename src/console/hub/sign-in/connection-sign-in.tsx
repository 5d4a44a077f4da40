import type { HubConnection } from '../../../contract/hubs/hubs-api.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useNow } from '../../components/use-now.ts';
import { useClient } from '../../session/client.ts';
import { formatExactTime, formatTimeUntil } from '../../text/format.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';
import { useStartSignIn } from './use-start-sign-in.ts';

type ConnectionSignInProps = {
  readonly hub: string;
  readonly connection: HubConnection;
  readonly signInState: NonNullable<HubConnection['sign_in']>;
  readonly mayChange: boolean;
};

export function ConnectionSignIn({ hub, connection, signInState, mayChange }: ConnectionSignInProps) {
  const { hubConnectionUse } = useClient();
  const { signIn, isRedirecting } = useStartSignIn(hub);
  const { connection_id: id, name } = connection;
  const forget = useInvalidatingMutation('hub-connections', () => hubConnectionUse.forgetSignIn(hub, id));
  const isPersonal = signInState.by === 'user';
  const subject = isPersonal ? 'You are' : 'The hub is';
  const error = signIn.error ?? forget.error;
  return (
    <div className={signInState.needed ? 'help' : 'sign-in-state'}>
      <p>
        {signInState.needed ? `${subject} not signed in at ${name}.` : `${subject} signed in.`}
        {!signInState.needed && signInState.expires_at !== null ? (
          <SignInExpiry expiresAt={signInState.expires_at} />
        ) : null}
        {isPersonal ? <span className="faint"> Each person in the hub signs in separately.</span> : null}
      </p>
      {isPersonal || mayChange ? (
        <p className="actions">
          <button
            type="button"
            className={signInState.needed ? 'strong' : undefined}
            disabled={isRedirecting}
            onClick={() => signIn.mutate(id)}
          >
            {isRedirecting ? 'Redirecting…' : signInState.signed_in ? 'Sign in again' : 'Sign in'}
            <span className="visually-hidden"> at {name}</span>
          </button>
          {signInState.signed_in ? (
            <button type="button" className="destructive" disabled={forget.isPending} onClick={() => forget.mutate()}>
              Forget the sign-in<span className="visually-hidden"> at {name}</span>
            </button>
          ) : null}
        </p>
      ) : (
        <p className="faint">An owner of the hub must sign in.</p>
      )}
      {error ? <ErrorNotice error={error} /> : null}
    </div>
  );
}

function SignInExpiry({ expiresAt }: { expiresAt: string }) {
  const text = useNow((nowMs) => formatTimeUntil(expiresAt, nowMs));
  return (
    <span className="faint" title={formatExactTime(expiresAt)}>
      {' '}
      It expires {text}.
    </span>
  );
}
