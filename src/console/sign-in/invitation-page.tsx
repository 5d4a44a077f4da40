import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConnection } from '../session/connection.ts';
import { useSignedIn } from '../session/use-session.ts';
import { roleWords } from '../words/roles.ts';
import { AccountFields, noAccount } from './account-fields.tsx';
import { Card } from './card.tsx';
import { useFragmentSecret } from './fragment.ts';

/** Makes an account from an invitation. */
export default function InvitationPage() {
  const secret = useFragmentSecret();
  const { identity } = useConnection();
  const { signedIn } = useSignedIn();
  const [account, setAccount] = useState(noAccount);
  const offer = useQuery({
    queryKey: ['invitation', secret],
    enabled: secret !== '',
    queryFn: ({ signal }) => identity.lookUpInvitation(secret, { signal }),
  });
  const accept = useMutation({
    mutationFn: () => identity.acceptInvitation({ secret, ...account, email: offer.data?.email ?? account.email }),
    onSuccess: async (answer) => {
      await signedIn(answer);
      location.assign('/');
    },
  });
  if (secret === '' || offer.error) {
    return (
      <Card title="This invitation cannot be used" error={offer.error} foot={<a href="/sign-in">Sign in</a>}>
        <p>
          {secret === ''
            ? 'The link is not whole: copy all of it, with what stands behind the #.'
            : 'Ask whoever invited you for a new one.'}
        </p>
      </Card>
    );
  }
  if (!offer.data) return <Card title="Invitation">One moment…</Card>;
  const { invited_by: by, role, email } = offer.data;
  const submit = { text: 'Make my account', pending: accept.isPending, action: () => accept.mutate() };
  return (
    <Card title="Welcome" submit={submit} error={accept.error}>
      <p>
        {by} invites you as {role}: {roleWords[role]}.
      </p>
      <AccountFields account={account} onChange={setAccount} fixedEmail={email} />
    </Card>
  );
}
