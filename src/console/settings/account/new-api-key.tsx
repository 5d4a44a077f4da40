import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '../../../contract/identity-api.ts';
import { NewCredentialForm } from '../../components/new-credential-form.tsx';
import { Select } from '../../components/select.tsx';
import { useClient } from '../../session/client.ts';
import { useHasRole } from '../../session/use-session.ts';
import { roleNames } from '../../text/roles.ts';
import { SecretDialog } from '../secret-dialog.tsx';

const lifetimes = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['', 'no expiration'],
] as const;

export function NewApiKey() {
  const { identity } = useClient();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [days, setDays] = useState<(typeof lifetimes)[number][0]>('90');
  const [isMember, isOwner] = [useHasRole('member'), useHasRole('owner')];
  const allowedRoles = roleNames.filter(
    (candidate) => candidate === 'viewer' || (candidate === 'member' ? isMember : isOwner),
  );
  const create = useMutation({
    mutationFn: () => identity.createApiKey({ name, role, ...(days === '' ? {} : { expires_in_days: Number(days) }) }),
    onSuccess: () => {
      setName('');
      void queries.invalidateQueries({ queryKey: ['api-keys'] });
    },
  });
  return (
    <NewCredentialForm
      name={name}
      onNameChange={setName}
      extraFields={
        <>
          <Select
            label="Role"
            value={role}
            options={allowedRoles.map((candidate) => [candidate, candidate])}
            onSelect={setRole}
          />
          <Select label="Expires" value={days} options={lifetimes} onSelect={setDays} />
        </>
      }
      submitLabel="Create key"
      creation={create}
      onCreate={create.mutate}
    >
      {create.data ? (
        <SecretDialog
          title={`Key ${create.data.api_key.name}`}
          secret={create.data.key}
          hint="Set it as VP_TOKEN where it is used."
          onClose={create.reset}
        />
      ) : null}
    </NewCredentialForm>
  );
}
