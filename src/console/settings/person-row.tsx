import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Person, Role } from '../../contract/identity-api.ts';
import { Ago } from '../parts/ago.tsx';
import { PersonWithRole } from '../parts/people-table.tsx';
import { useConnection } from '../session/connection.ts';
import { roleNames } from '../words/roles.ts';

const roles = roleNames.map((role) => [role, role] as const);

/** One person; owners change the role and remove. */
export function PersonRow({ person, mayChange }: { person: Person; mayChange: boolean }) {
  const { identity } = useConnection();
  const queries = useQueryClient();
  const { person_id: id, name, last_seen_at: seenAt } = person;
  const onSuccess = (): Promise<void> => queries.invalidateQueries({ queryKey: ['people'] });
  const change = useMutation({ mutationFn: (role: Role) => identity.changeRole(id, role), onSuccess });
  const remove = useMutation({ mutationFn: () => identity.removePerson(id), onSuccess });
  return (
    <PersonWithRole
      person={person}
      roles={roles}
      onRole={change.mutate}
      moment={['Seen', seenAt === null ? 'never' : <Ago key="at" at={seenAt} />]}
      mayChange={mayChange}
      error={change.error ?? remove.error}
      removal={{
        title: `Remove ${name}`,
        loss: 'The account, its sessions and its keys end at once. What the person ran and wrote stays, under that name.',
        pending: remove.isPending,
        begin: (onSettled) => remove.mutate(undefined, { onSettled }),
      }}
    />
  );
}
