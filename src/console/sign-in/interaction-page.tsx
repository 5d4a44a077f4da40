import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Interaction, Whoami } from '../../contract/identity-api.ts';
import { useConnection } from '../session/connection.ts';
import { isSignedOut, sessionQuery } from '../session/use-session.ts';
import { Card } from './card.tsx';
import { Scopes } from './scopes.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** A program asks a person for leave, by the authorization server: signing in first, then allowing it or not. */
export default function InteractionPage({ uid }: { uid: string }) {
  const connection = useConnection();
  const { identity } = connection;
  const asked = useQuery({
    queryKey: ['interaction', uid],
    queryFn: ({ signal }) => identity.interaction(uid, { signal }),
  });
  const session = useQuery(sessionQuery(connection));
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: (allow: boolean) => identity.decide(uid, { allow }),
    onSuccess: ({ redirect_to }) => location.assign(redirect_to),
  });
  const { data } = asked;
  // Whoever is signed in already only goes on: the next page asks for leave, and says for whom.
  const goesOn = data?.kind === 'sign_in' && session.data !== undefined;
  useEffect(() => {
    if (goesOn) mutate(true);
  }, [goesOn, mutate]);
  if (asked.error || error) {
    return (
      <Card title="This request cannot be answered" error={asked.error ?? error}>
        <p>Go back to the program and begin again.</p>
      </Card>
    );
  }
  if (data && isSignedOut(session.error)) {
    return (
      <SignInForm>
        <p>{data.client_name} asks you to sign in.</p>
      </SignInForm>
    );
  }
  if (data?.kind !== 'consent' || !session.data) return <Card title="One moment…">{null}</Card>;
  return <Consent asked={data} whoami={session.data} pending={isPending || isSuccess} onDecide={mutate} />;
}

type ConsentProps = {
  readonly asked: Interaction;
  readonly whoami: Whoami;
  readonly pending: boolean;
  readonly onDecide: (allow: boolean) => void;
};

function Consent({
  asked: { client_name: client, redirect_host: host, scopes },
  whoami: { person, role },
  pending,
  onDecide,
}: ConsentProps) {
  const refuse = (
    <button type="button" disabled={pending} onClick={() => onDecide(false)}>
      Refuse
    </button>
  );
  return (
    <Card title={`Allow ${client}?`} submit={{ text: 'Allow', pending, action: () => onDecide(true) }} foot={refuse}>
      <p>
        You are <b>{person?.name}</b>, {person?.email}, {role}. Until you end it in <i>Your account</i>, and for 30 days
        at most, it may as you
      </p>
      <Scopes scopes={scopes} />
      <p>
        Allow it only if you have just started it yourself. You then go on to{' '}
        {isOwnMachine(host) ? 'the program on this machine, at' : ''} <b className="mono">{host}</b>.
      </p>
    </Card>
  );
}

function isOwnMachine(host: string): boolean {
  return /^(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$/.test(host);
}
