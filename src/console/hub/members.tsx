import { useQuery } from '@tanstack/react-query';
import type { Hub } from '../../contract/hub-api.ts';
import { PeopleTable } from '../parts/people-table.tsx';
import { useConnection } from '../session/connection.ts';
import { LeaveHub } from './leave-hub.tsx';
import { Loaded } from './loaded.tsx';
import { MemberRow } from './member-row.tsx';
import { NewMember } from './new-member.tsx';

/** Who belongs to a hub. */
export function Members({ hub }: { hub: Hub }) {
  const { hubs } = useConnection();
  const query = useQuery({
    queryKey: ['hub-members', hub.slug],
    queryFn: ({ signal }) => hubs.members(hub.slug, { signal }),
  });
  const mayChange = hub.role === 'owner';
  return (
    <>
      <Loaded query={query}>
        {(members) => (
          <>
            {mayChange ? (
              <NewMember hub={hub.slug} members={members} />
            ) : (
              <p className="faint">Owners of the hub add people and change roles.</p>
            )}
            <PeopleTable moment="Added" mayChange={mayChange}>
              {members.map((member) => (
                <MemberRow key={member.person_id} hub={hub.slug} member={member} mayChange={mayChange} />
              ))}
            </PeopleTable>
          </>
        )}
      </Loaded>
      <LeaveHub hub={hub.slug} />
    </>
  );
}
