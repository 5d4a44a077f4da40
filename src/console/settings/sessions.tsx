import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ago } from '../parts/ago.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { clientName } from '../words/client-name.ts';

/** Where the person is signed in. */
export function Sessions() {
  const { identity } = useConnection();
  const queries = useQueryClient();
  const { data = [], error } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => identity.sessions({ signal }),
  });
  const end = useMutation({
    mutationFn: (id: string) => identity.endSession(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      {error ? <Problem error={error} /> : null}
      <ul className="plain-list">
        {data.map(({ session_id: id, client, address, last_seen_at: at, current }) => (
          <li key={id}>
            <span>
              <span title={client}>{clientName(client)}</span> <span className="faint">from {address}, </span>
              {current ? 'this one' : <Ago at={at} />}
            </span>
            {current ? null : (
              <button type="button" className="quiet" onClick={() => end.mutate(id)}>
                End
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
