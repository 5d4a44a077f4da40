import { useState } from 'react';
import type { TokenExpiry } from '../../contract/hub-api.ts';
import { Choice } from '../parts/choice.tsx';
import { Field } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
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
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Field
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        placeholder="nightly build"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Choice label="Expiry" value={expiry} options={expiries.map((choice) => [choice, choice])} onChoose={setExpiry} />
      <button type="submit" className="strong" disabled={create.isPending}>
        Create token
      </button>
      {create.error ? <Problem error={create.error} /> : null}
      {create.data ? <TokenShown shown={create.data} isNew onClose={create.reset} /> : null}
    </form>
  );
}
