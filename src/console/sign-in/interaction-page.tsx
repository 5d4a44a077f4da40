import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Interaction, Whoami } from '../../contract/identity-api.ts';
import { useConnection } from '../session/connection.ts';
import { isSignedOut, sessionQuery } from '../session/use-session.ts';
import { Card } from './card.tsx';
import { Leave } from './leave.tsx';
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
  const { mutate, isPending, isSuccess, variables, error } = useMutation({
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
  // An address of a program's own scheme opens the program and leaves this page where it is.
  if (isSuccess && data?.kind === 'consent' && data.client.redirect_host?.endsWith(':')) {
    return (
      <Card title={variables ? 'Allowed' : 'Refused'}>
        <p>{data.client.name} goes on by itself; this page can be closed.</p>
      </Card>
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

function Consent({ asked, whoami: { person }, pending, onDecide }: ConsentProps) {
  const { client, hub, member } = asked;
  const refuse = (
    <button type="button" disabled={pending} onClick={() => onDecide(false)}>
      {member ? 'Refuse' : 'Back to the program'}
    </button>
  );
  const you = (
    <>
      <b>{person?.name}</b>, {person?.email}
    </>
  );
  if (!member) {
    return (
      <Card title={`You are not in the hub ${hub?.slug}`} foot={refuse}>
        <p>
          <b>{client.name}</b> asks for the hub <b>{hub?.slug}</b>, to which you ({you}) do not belong.
        </p>
        <p>Ask an owner of the hub to add you, or sign in as somebody who is in it. Then begin again in the program.</p>
      </Card>
    );
  }
  return (
    <Card
      title={`Allow ${client.name}?`}
      submit={{ text: 'Allow', pending, action: () => onDecide(true) }}
      foot={refuse}
    >
      <Leave asked={asked}>You are {you}.</Leave>
    </Card>
  );
}
