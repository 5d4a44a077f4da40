import { useQuery } from '@tanstack/react-query';
import type { Hub } from '../../contract/hub-api.ts';
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
            <div className="table-scroll">
              <table className="table people">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Email</th>
                    <th scope="col">Role</th>
                    <th scope="col">Added</th>
                    {mayChange ? <th scope="col">Change</th> : null}
                  </tr>
                </thead>
                <tbody>
                  {members.map((member) => (
                    <MemberRow key={member.person_id} hub={hub.slug} member={member} mayChange={mayChange} />
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
      </Loaded>
      <LeaveHub hub={hub.slug} />
    </>
  );
}
