import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../session/client.ts';
import { useSessionActions } from '../session/use-session.ts';
import { roleDescriptions } from '../text/roles.ts';
import { AccountFields, emptyAccount } from './account-fields.tsx';
import { FormCard } from './form-card.tsx';
import { useFragmentSecret } from './use-fragment-secret.ts';

export default function InvitationPage() {
  const secret = useFragmentSecret();
  const { identity } = useClient();
  const { completeSignIn } = useSessionActions();
  const [account, setAccount] = useState(emptyAccount);
  const invitation = useQuery({
    queryKey: ['invitation', secret],
    enabled: secret !== '',
    queryFn: ({ signal }) => identity.lookUpInvitation(secret, { signal }),
  });
  const accept = useMutation({
    mutationFn: () => identity.acceptInvitation({ secret, ...account, email: invitation.data?.email ?? account.email }),
    onSuccess: async (response) => {
      await completeSignIn(response);
      location.assign('/');
    },
  });
  if (secret === '' || invitation.error) {
    return (
      <FormCard title="This invitation cannot be used" error={invitation.error} foot={<a href="/sign-in">Sign in</a>}>
        <p>
          {secret === ''
            ? 'The link is incomplete. Copy all of it, including the part after the #.'
            : 'Ask the person who invited you for a new link.'}
        </p>
      </FormCard>
    );
  }
  if (!invitation.data) return <FormCard title="Invitation">One moment…</FormCard>;
  const { invited_by: invitedBy, role, email } = invitation.data;
  const submit = { text: 'Create account', pending: accept.isPending, action: () => accept.mutate() };
  return (
    <FormCard title="Welcome" submit={submit} error={accept.error}>
      <p>
        {invitedBy} invites you as {role}: {roleDescriptions[role]}.
      </p>
      <AccountFields account={account} onChange={setAccount} fixedEmail={email} />
    </FormCard>
  );
}
