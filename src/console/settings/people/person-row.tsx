import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Person, Role } from '../../../contract/identity-api.ts';
import { PeopleTableRow } from '../../components/people-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useClient } from '../../session/client.ts';
import { roleNames } from '../../text/roles.ts';

const roles = roleNames.map((role) => [role, role] as const);

export function PersonTableRow({ person, mayChange }: { person: Person; mayChange: boolean }) {
  const { identity } = useClient();
  const queries = useQueryClient();
  const { person_id: id, name, last_seen_at: lastSeenAt } = person;
  const onSuccess = (): Promise<void> => queries.invalidateQueries({ queryKey: ['people'] });
  const change = useMutation({ mutationFn: (role: Role) => identity.changeRole(id, role), onSuccess });
  const remove = useMutation({ mutationFn: () => identity.removePerson(id), onSuccess });
  return (
    <PeopleTableRow
      person={person}
      roles={roles}
      onRoleChange={change.mutate}
      timeColumn={['Seen', lastSeenAt === null ? 'never' : <RelativeTime key="at" timestamp={lastSeenAt} />]}
      mayChange={mayChange}
      error={change.error ?? remove.error}
      removal={{
        title: `Remove ${name}`,
        consequence:
          'The account, its sessions and its keys are deleted immediately. Runs and scenarios of the person stay, under the same name.',
        isPending: remove.isPending,
        start: (onSettled) => remove.mutate(undefined, { onSettled }),
      }}
    />
  );
}
