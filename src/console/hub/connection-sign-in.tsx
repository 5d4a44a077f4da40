import type { HubConnection } from '../../contract/hub-api.ts';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { exactText, untilText } from '../words/moments.ts';
import { useNow } from '../words/use-now.ts';
import { useBeginSignIn } from './use-begin-sign-in.ts';
import { useChange } from './use-change.ts';

type SignInProps = {
  readonly hub: string;
  readonly connection: HubConnection;
  readonly sign: NonNullable<HubConnection['sign_in']>;
  readonly mayChange: boolean;
};

/** Whether the hub, or oneself, is signed in at the server of a connection; the way to sign in and to forget it. */
export function ConnectionSignIn({ hub, connection, sign, mayChange }: SignInProps) {
  const { hubConnect } = useConnection();
  const { signIn, isLeaving } = useBeginSignIn(hub);
  const { connection_id: id, name } = connection;
  const forget = useChange('hub-connections', () => hubConnect.forgetSignIn(hub, id));
  const isMine = sign.by === 'user';
  const who = isMine ? 'You are' : 'The hub is';
  const error = signIn.error ?? forget.error;
  return (
    <div className={sign.needed ? 'help' : 'sign-in-state'}>
      <p>
        {sign.needed ? `${who} not signed in at ${name}.` : `${who} signed in.`}
        {!sign.needed && sign.expires_at !== null ? <Ends at={sign.expires_at} /> : null}
        {isMine ? <span className="faint"> Each person of the hub signs in for themselves.</span> : null}
      </p>
      {isMine || mayChange ? (
        <p className="actions">
          <button
            type="button"
            className={sign.needed ? 'strong' : undefined}
            disabled={isLeaving}
            onClick={() => signIn.mutate(id)}
          >
            {isLeaving ? 'Going there…' : sign.signed_in ? 'Sign in again' : 'Sign in'}
            <span className="unseen"> at {name}</span>
          </button>
          {sign.signed_in ? (
            <button type="button" disabled={forget.isPending} onClick={() => forget.mutate()}>
              Forget the sign-in<span className="unseen"> at {name}</span>
            </button>
          ) : null}
        </p>
      ) : (
        <p className="faint">An owner of the hub signs it in.</p>
      )}
      {error ? <Problem error={error} /> : null}
    </div>
  );
}

function Ends({ at }: { at: string }) {
  const text = useNow((nowMs) => untilText(at, nowMs));
  return (
    <span className="faint" title={exactText(at)}>
      {' '}
      It ends {text}.
    </span>
  );
}
