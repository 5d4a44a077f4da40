import { useState } from 'react';
import type { TokenExpiry, ToolListMode } from '../../../contract/hubs/hubs-api.ts';
import { NewCredentialForm } from '../../components/new-credential-form.tsx';
import { Select } from '../../components/select.tsx';
import { useClient } from '../../session/client.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';
import { TokenDialog } from './token-dialog.tsx';

const expiries: readonly TokenExpiry[] = ['30 days', '90 days', '1 year', 'No expiration'];

const toolListChoices = [
  ['hub', 'as the hub'],
  ['all', 'all tools'],
  ['search', 'a search for tools'],
] as const;

export function NewToken({ hub }: { hub: string }) {
  const { hubs } = useClient();
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<TokenExpiry>('90 days');
  const [toolList, setToolList] = useState<ToolListMode | 'hub'>('hub');
  const create = useInvalidatingMutation(
    'hub-tokens',
    () => hubs.createToken(hub, { name, expiry, tool_list: toolList === 'hub' ? null : toolList }),
    () => setName(''),
  );
  return (
    <NewCredentialForm
      name={name}
      onNameChange={setName}
      extraFields={
        <>
          <Select
            label="Expiry"
            value={expiry}
            options={expiries.map((choice) => [choice, choice])}
            onSelect={setExpiry}
          />
          <Select label="Tools listed" value={toolList} options={toolListChoices} onSelect={setToolList} />
        </>
      }
      submitLabel="Create token"
      creation={create}
      onCreate={create.mutate}
    >
      {create.data ? <TokenDialog secret={create.data} isNew onClose={create.reset} /> : null}
    </NewCredentialForm>
  );
}
