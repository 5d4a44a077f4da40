import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { HubMember } from '../../contract/hub-api.ts';
import { Choice } from '../parts/choice.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { hubRoleHint, hubRoles } from './roles.ts';
import { useChange } from './use-change.ts';

/** Adds somebody who has an account. */
export function NewMember({ hub, members }: { hub: string; members: readonly HubMember[] }) {
  const { hubs, identity } = useConnection();
  const { data = [], isPending } = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => identity.people({ signal }),
  });
  const [chosen, choose] = useState('');
  const [role, setRole] = useState<HubMember['role']>('member');
  const add = useChange(
    'hub-members',
    () => hubs.putMember(hub, chosen, role),
    () => choose(''),
  );
  const there = new Set(members.map(({ person_id: id }) => id));
  const others = data.filter(({ person_id: id }) => !there.has(id));
  if (isPending) return null;
  if (others.length === 0)
    return (
      <p className="faint">
        Everybody with an account is in the hub. Invite further people in{' '}
        <Link href="/settings/people">Settings → People</Link>.
      </p>
    );
  const options = [
    ['', 'choose…'] as const,
    ...others.map((one) => [one.person_id, `${one.name}, ${one.email}`] as const),
  ];
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Choice label="Person" value={chosen} options={options} onChoose={choose} />
      <Choice label="Role in the hub" value={role} options={hubRoles} onChoose={setRole} />
      <button type="submit" disabled={chosen === '' || add.isPending}>
        Add
      </button>
      <p className="hint">{hubRoleHint}</p>
      {add.error ? <Problem error={add.error} /> : null}
    </form>
  );
}
