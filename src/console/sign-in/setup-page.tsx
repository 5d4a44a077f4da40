import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CommandLine } from '../components/command-line.tsx';
import { useClient } from '../session/client.ts';
import { useSessionActions } from '../session/use-session.ts';
import { AccountFields, emptyAccount } from './account-fields.tsx';
import { FormCard } from './form-card.tsx';
import { useFragmentSecret } from './use-fragment-secret.ts';

export default function SetupPage() {
  const secret = useFragmentSecret();
  const { identity } = useClient();
  const { completeSignIn } = useSessionActions();
  const [account, setAccount] = useState(emptyAccount);
  const state = useQuery({ queryKey: ['setup'], queryFn: ({ signal }) => identity.getSetupState({ signal }) });
  const isLinkValid = useQuery({
    queryKey: ['setup-link', secret],
    enabled: secret !== '',
    queryFn: ({ signal }) => identity.lookUpSetup(secret, { signal }),
  });
  const setUp = useMutation({
    mutationFn: () => identity.setUp({ secret, ...account }),
    onSuccess: async (response) => {
      await completeSignIn(response);
      location.assign('/');
    },
  });
  if (state.data?.needed === false) {
    return (
      <FormCard title="Already set up" foot={<a href="/sign-in">Sign in</a>}>
        <p>The first owner already exists. Other people join by invitation.</p>
      </FormCard>
    );
  }
  if (secret === '' || isLinkValid.data === false) {
    return (
      <FormCard title={secret === '' ? 'The link is incomplete' : 'This link cannot be used'}>
        <p>
          {secret === ''
            ? 'A setup link has a secret after the #. Copy all of it, or create a new one:'
            : 'It was replaced by a newer link, or is older than 30 minutes. Create a new one on the server:'}
        </p>
        <CommandLine text="vp setup-link" />
      </FormCard>
    );
  }
  const submit = { text: 'Create the first owner', pending: setUp.isPending, action: () => setUp.mutate() };
  return (
    <FormCard title="Set up vp" submit={submit} error={setUp.error}>
      <p>You become the owner of this control plane. You can change everything and invite other people.</p>
      <AccountFields account={account} onChange={setAccount} />
    </FormCard>
  );
}
