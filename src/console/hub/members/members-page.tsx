import { useQuery } from '@tanstack/react-query';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import { PeopleTable } from '../../components/people-table.tsx';
import { useClient } from '../../session/client.ts';
import { QueryContent } from '../query-content.tsx';
import { LeaveHub } from './leave-hub.tsx';
import { MemberTableRow } from './member-row.tsx';
import { NewMember } from './new-member.tsx';

export function MembersPage({ hub }: { hub: Hub }) {
  const { hubs } = useClient();
  const query = useQuery({
    queryKey: ['hub-members', hub.slug],
    queryFn: ({ signal }) => hubs.listMembers(hub.slug, { signal }),
  });
  const mayChange = hub.role === 'owner';
  return (
    <>
      <QueryContent query={query}>
        {(members) => (
          <>
            {mayChange ? (
              <NewMember hub={hub.slug} members={members} />
            ) : (
              <p className="faint">Only owners of the hub can add people and change roles.</p>
            )}
            <PeopleTable timeColumn="Added" mayChange={mayChange}>
              {members.map((member) => (
                <MemberTableRow key={member.person_id} hub={hub.slug} member={member} mayChange={mayChange} />
              ))}
            </PeopleTable>
          </>
        )}
      </QueryContent>
      <LeaveHub hub={hub.slug} />
    </>
  );
}
