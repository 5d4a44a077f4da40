import { useState } from 'react';
import type { TokenExpiry } from '../../contract/hub-api.ts';
import { Choice } from '../parts/choice.tsx';
import { NewCredential } from '../parts/new-credential.tsx';
import { useConnection } from '../session/connection.ts';
import { TokenShown } from './token-shown.tsx';
import { useChange } from './use-change.ts';

const expiries: readonly TokenExpiry[] = ['30 days', '90 days', '1 year', 'No expiration'];

/** Makes a token for this hub and shows it. */
export function NewToken({ hub }: { hub: string }) {
  const { hubs } = useConnection();
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<TokenExpiry>('90 days');
  const create = useChange(
    'hub-tokens',
    () => hubs.createToken(hub, { name, expiry }),
    () => setName(''),
  );
  return (
    <NewCredential
      name={name}
      onName={setName}
      choices={
        <Choice
          label="Expiry"
          value={expiry}
          options={expiries.map((choice) => [choice, choice])}
          onChoose={setExpiry}
        />
      }
      action="Create token"
      making={create}
      onMake={create.mutate}
    >
      {create.data ? <TokenShown shown={create.data} isNew onClose={create.reset} /> : null}
    </NewCredential>
  );
}
