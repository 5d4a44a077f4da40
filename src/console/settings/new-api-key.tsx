import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '../../contract/identity-api.ts';
import { Choice } from '../parts/choice.tsx';
import { NewCredential } from '../parts/new-credential.tsx';
import { useConnection } from '../session/connection.ts';
import { useMay } from '../session/use-session.ts';
import { roleNames } from '../words/roles.ts';
import { ShownOnce } from './shown-once.tsx';

const lives = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
  ['', 'no end'],
] as const;

/** Makes a key and shows it once. */
export function NewApiKey() {
  const { identity } = useConnection();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [days, setDays] = useState<(typeof lives)[number][0]>('90');
  const [isMember, isOwner] = [useMay('member'), useMay('owner')];
  const allowed = roleNames.filter((one) => one === 'viewer' || (one === 'member' ? isMember : isOwner));
  const create = useMutation({
    mutationFn: () => identity.createApiKey({ name, role, ...(days === '' ? {} : { expires_in_days: Number(days) }) }),
    onSuccess: () => {
      setName('');
      void queries.invalidateQueries({ queryKey: ['api-keys'] });
    },
  });
  return (
    <NewCredential
      name={name}
      onName={setName}
      choices={
        <>
          <Choice label="Role" value={role} options={allowed.map((one) => [one, one])} onChoose={setRole} />
          <Choice label="Expires" value={days} options={lives} onChoose={setDays} />
        </>
      }
      action="Make a key"
      making={create}
      onMake={create.mutate}
    >
      {create.data ? (
        <ShownOnce
          title={`Key ${create.data.api_key.name}`}
          secret={create.data.key}
          hint="Set it as VP_TOKEN where it is used."
          onClose={create.reset}
        />
      ) : null}
    </NewCredential>
  );
}
