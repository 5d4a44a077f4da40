import { useQueryClient } from '@tanstack/react-query';
import type { HubMember } from '../../contract/hub-api.ts';
import { Ago } from '../parts/ago.tsx';
import { PersonWithRole } from '../parts/people-table.tsx';
import { useConnection } from '../session/connection.ts';
import { hubRoles } from './roles.ts';
import { useChange } from './use-change.ts';

type MemberRowProps = { readonly hub: string; readonly member: HubMember; readonly mayChange: boolean };

/** One member; owners of the hub change the role and remove. */
export function MemberRow({ hub, member, mayChange }: MemberRowProps) {
  const { hubs } = useConnection();
  const queries = useQueryClient();
  const { person_id: id, name } = member;
  // One's own role decides what is shown.
  const renew = (): void => void queries.invalidateQueries({ queryKey: ['hubs'] });
  const change = useChange('hub-members', (role: HubMember['role']) => hubs.putMember(hub, id, role), renew);
  const remove = useChange('hub-members', () => hubs.removeMember(hub, id), renew);
  return (
    <PersonWithRole
      person={member}
      roles={hubRoles}
      onRole={change.mutate}
      moment={['Added', <Ago key="at" at={member.added_at} />]}
      mayChange={mayChange}
      error={change.error ?? remove.error}
      removal={{
        title: `Remove ${name} from ${hub}`,
        loss: 'Their tokens of this hub are refused from the next call on. What they called stays in the audit.',
        pending: remove.isPending,
        begin: (onSettled) => remove.mutate(undefined, { onSettled }),
      }}
    />
  );
}
