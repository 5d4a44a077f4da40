import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Command } from '../parts/command.tsx';
import { useConnection } from '../session/connection.ts';
import { useSignedIn } from '../session/use-session.ts';
import { AccountFields, noAccount } from './account-fields.tsx';
import { Card } from './card.tsx';
import { useFragmentSecret } from './fragment.ts';

/** Makes the first owner. */
export default function SetupPage() {
  const secret = useFragmentSecret();
  const { identity } = useConnection();
  const { signedIn } = useSignedIn();
  const [account, setAccount] = useState(noAccount);
  const state = useQuery({ queryKey: ['setup'], queryFn: ({ signal }) => identity.setupState({ signal }) });
  const setUp = useMutation({
    mutationFn: () => identity.setUp({ secret, ...account }),
    onSuccess: async (answer) => {
      await signedIn(answer);
      location.assign('/');
    },
  });
  if (state.data?.needed === false) {
    return (
      <Card title="Already set up" foot={<a href="/sign-in">Sign in</a>}>
        <p>The first owner exists. Further people come by invitation.</p>
      </Card>
    );
  }
  if (secret === '') {
    return (
      <Card title="The link is not whole">
        <p>A setup link has a secret behind a #. Copy all of it, or make a new one:</p>
        <Command text="vp setup-link" />
      </Card>
    );
  }
  const submit = { text: 'Make the first owner', pending: setUp.isPending, action: () => setUp.mutate() };
  return (
    <Card title="Set up vp" submit={submit} error={setUp.error}>
      <p>You become the owner of this control plane: you may do everything, and invite others.</p>
      <AccountFields account={account} onChange={setAccount} />
    </Card>
  );
}
