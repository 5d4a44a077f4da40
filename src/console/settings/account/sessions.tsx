import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useClient } from '../../session/client.ts';
import { describeUserAgent } from '../../text/client-name.ts';

export function Sessions() {
  const { identity } = useClient();
  const queries = useQueryClient();
  const { data = [], error } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => identity.listSessions({ signal }),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => identity.revokeSession(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      {error ? <ErrorNotice error={error} /> : null}
      <ul className="plain-list">
        {data.map(({ session_id: id, client, address, last_seen_at: lastSeenAt, current }) => (
          <li key={id}>
            <span>
              <span title={client}>{describeUserAgent(client)}</span> <span className="faint">from {address}, </span>
              {current ? 'this session' : <RelativeTime timestamp={lastSeenAt} />}
            </span>
            {current ? null : (
              <button type="button" className="quiet" onClick={() => revoke.mutate(id)}>
                Revoke
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
