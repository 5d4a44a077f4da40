import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { HubMember } from '../../../contract/hubs/hubs-api.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Select } from '../../components/select.tsx';
import { useClient } from '../../session/client.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';
import { hubRoleHint, hubRoleOptions } from './hub-roles.ts';

export function NewMember({ hub, members }: { hub: string; members: readonly HubMember[] }) {
  const { hubs, identity } = useClient();
  const { data = [], isPending } = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => identity.listPeople({ signal }),
  });
  const [personId, setPersonId] = useState('');
  const [role, setRole] = useState<HubMember['role']>('member');
  const add = useInvalidatingMutation(
    'hub-members',
    () => hubs.setMember(hub, personId, role, 'none'),
    () => setPersonId(''),
  );
  const memberIds = new Set(members.map(({ person_id: id }) => id));
  const candidates = data.filter(({ person_id: id }) => !memberIds.has(id));
  if (isPending) return null;
  if (candidates.length === 0)
    return (
      <p className="faint">
        Everyone with an account is in the hub. Invite more people in{' '}
        <Link href="/settings/people">Settings → People</Link>.
      </p>
    );
  const options = [
    ['', 'choose…'] as const,
    ...candidates.map((person) => [person.person_id, `${person.name}, ${person.email}`] as const),
  ];
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Select label="Person" value={personId} options={options} onSelect={setPersonId} />
      <Select label="Role in the hub" value={role} options={hubRoleOptions} onSelect={setRole} />
      <button type="submit" disabled={personId === '' || add.isPending}>
        Add
      </button>
      <p className="hint">{hubRoleHint}</p>
      {add.error ? <ErrorNotice error={add.error} /> : null}
    </form>
  );
}
