import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Interaction, Whoami } from '../../contract/identity-api.ts';
import { useClient } from '../session/client.ts';
import { isSignedOut, sessionQuery } from '../session/use-session.ts';
import { ConsentDetails } from './consent-details.tsx';
import { FormCard } from './form-card.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** An interaction of the authorization server: the person signs in, then allows or denies the request of an OAuth client. */
export default function InteractionPage({ uid }: { uid: string }) {
  const client = useClient();
  const { identity } = client;
  const interaction = useQuery({
    queryKey: ['interaction', uid],
    queryFn: ({ signal }) => identity.getInteraction(uid, { signal }),
  });
  const session = useQuery(sessionQuery(client));
  const { mutate, isPending, isSuccess, variables, error } = useMutation({
    mutationFn: (allow: boolean) => identity.decideInteraction(uid, { allow }),
    onSuccess: ({ redirect_to }) => location.assign(redirect_to),
  });
  const { data } = interaction;
  // A person who is already signed in continues: the consent page follows and names the account.
  const skipsPrompt = data?.kind === 'sign_in' && session.data !== undefined;
  useEffect(() => {
    if (skipsPrompt) mutate(true);
  }, [skipsPrompt, mutate]);
  if (interaction.error || error) {
    return (
      <FormCard title="This request cannot be answered" error={interaction.error ?? error}>
        {null}
      </FormCard>
    );
  }
  if (data && isSignedOut(session.error)) {
    return (
      <SignInForm>
        <p>{data.client_name} asks you to sign in.</p>
      </SignInForm>
    );
  }
  // A redirect to a custom scheme opens the app and leaves this page open.
  if (isSuccess && data?.kind === 'consent' && data.client.redirect_host?.endsWith(':')) {
    return (
      <FormCard title={variables ? 'Allowed' : 'Denied'}>
        <p>{data.client.name} continues automatically. You can close this page.</p>
      </FormCard>
    );
  }
  if (data?.kind !== 'consent' || !session.data) return <FormCard title="One moment…">{null}</FormCard>;
  return <ConsentCard interaction={data} whoami={session.data} pending={isPending || isSuccess} onDecide={mutate} />;
}

type ConsentCardProps = {
  readonly interaction: Interaction;
  readonly whoami: Whoami;
  readonly pending: boolean;
  readonly onDecide: (allow: boolean) => void;
};

function ConsentCard({ interaction, whoami: { person }, pending, onDecide }: ConsentCardProps) {
  const { client, hub, member } = interaction;
  const denyButton = (
    <button type="button" disabled={pending} onClick={() => onDecide(false)}>
      {member ? 'Deny' : 'Back to the app'}
    </button>
  );
  const personName = (
    <>
      <b>{person?.name}</b>, {person?.email}
    </>
  );
  if (!member) {
    return (
      <FormCard title={`You are not a member of the hub ${hub?.slug}`} foot={denyButton}>
        <p>
          <b>{client.name}</b> requests access to the hub <b>{hub?.slug}</b>, but you ({personName}) are not a member of
          it.
        </p>
        <p>Ask an owner of the hub to add you, or sign in with another account. Then start again in the app.</p>
      </FormCard>
    );
  }
  return (
    <FormCard
      title={`Allow ${client.name}?`}
      submit={{ text: 'Allow', pending, action: () => onDecide(true) }}
      foot={denyButton}
    >
      <ConsentDetails request={interaction}>You are {personName}.</ConsentDetails>
    </FormCard>
  );
}
