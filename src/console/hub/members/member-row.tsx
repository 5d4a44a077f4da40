import { useQueryClient } from '@tanstack/react-query';
import type { HubMember } from '../../../contract/hubs/hubs-api.ts';
import { PeopleTableRow } from '../../components/people-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useClient } from '../../session/client.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';
import { hubRoleOptions } from './hub-roles.ts';

type MemberRowProps = { readonly hub: string; readonly member: HubMember; readonly mayChange: boolean };

export function MemberTableRow({ hub, member, mayChange }: MemberRowProps) {
  const { hubs } = useClient();
  const queries = useQueryClient();
  const { person_id: id, name } = member;
  // The role of the signed-in person decides which controls are displayed.
  const refetchHubs = (): void => void queries.invalidateQueries({ queryKey: ['hubs'] });
  const change = useInvalidatingMutation(
    'hub-members',
    (role: HubMember['role']) => hubs.setMember(hub, id, role, member.role),
    refetchHubs,
  );
  const remove = useInvalidatingMutation('hub-members', () => hubs.removeMember(hub, id, member.role), refetchHubs);
  return (
    <PeopleTableRow
      person={member}
      roles={hubRoleOptions}
      onRoleChange={change.mutate}
      timeColumn={['Added', <RelativeTime key="at" timestamp={member.added_at} />]}
      mayChange={mayChange}
      error={change.error ?? remove.error}
      removal={{
        title: `Remove ${name} from ${hub}`,
        consequence: 'Their tokens for this hub stop working immediately. Their recorded calls stay in the audit.',
        isPending: remove.isPending,
        start: (onSettled) => remove.mutate(undefined, { onSettled }),
      }}
    />
  );
}
