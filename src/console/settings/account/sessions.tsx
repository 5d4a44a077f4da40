import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useClient } from '../../session/client.ts';

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
              <button type="button" className="small destructive" onClick={() => revoke.mutate(id)}>
                Revoke
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The order matters: most browsers also claim to be others. */
const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const systems = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** Returns for example `Chrome on Linux` for a User-Agent. An unknown User-Agent is returned unchanged. */
export function describeUserAgent(userAgent: string): string {
  const findName = (patterns: readonly (readonly [RegExp, string])[]) =>
    patterns.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [findName(browsers), findName(systems)];
  if (browser === undefined) return userAgent === '' ? 'an unknown client' : userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
