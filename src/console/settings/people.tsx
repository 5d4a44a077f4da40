import { useQuery } from '@tanstack/react-query';
import { PeopleTable } from '../parts/people-table.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useConnection } from '../session/connection.ts';
import { useMay } from '../session/use-session.ts';
import { Invitations } from './invitations.tsx';
import { PersonRow } from './person-row.tsx';

/** Everybody with an account, and who is invited. */
export function People() {
  const { identity } = useConnection();
  const { data, error, refetch } = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => identity.people({ signal }),
  });
  const mayChange = useMay('owner');
  if (error && !data) return <Problem error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={4} />;
  return (
    <>
      <PeopleTable moment="Seen" mayChange={mayChange}>
        {data.map((person) => (
          <PersonRow key={person.person_id} person={person} mayChange={mayChange} />
        ))}
      </PeopleTable>
      {data.length === 0 ? <p className="faint">Nobody has an account yet.</p> : null}
      {mayChange ? <Invitations /> : <p className="faint">Owners invite people and change roles.</p>}
    </>
  );
}
