import { useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PeopleTable } from '../../components/people-table.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useClient } from '../../session/client.ts';
import { useHasRole } from '../../session/use-session.ts';
import { Invitations } from './invitations.tsx';
import { PersonTableRow } from './person-row.tsx';

export function PeoplePage() {
  const { identity } = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => identity.listPeople({ signal }),
  });
  const mayChange = useHasRole('owner');
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={4} />;
  return (
    <>
      <PeopleTable timeColumn="Seen" mayChange={mayChange}>
        {data.map((person) => (
          <PersonTableRow key={person.person_id} person={person} mayChange={mayChange} />
        ))}
      </PeopleTable>
      {data.length === 0 ? <p className="faint">No accounts yet.</p> : null}
      {mayChange ? <Invitations /> : <p className="faint">Only owners can invite people and change roles.</p>}
    </>
  );
}
