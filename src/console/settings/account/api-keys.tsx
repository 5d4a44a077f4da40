import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiKey } from '../../../contract/identity-api.ts';
import { nowMs } from '../../browser.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useClient } from '../../session/client.ts';
import { formatTimeUntil } from '../../text/format.ts';
import { NewApiKey } from './new-api-key.tsx';

const weekMs = 7 * 86_400_000;

export function ApiKeys() {
  const { identity } = useClient();
  const queries = useQueryClient();
  const { data = [], error } = useQuery({
    queryKey: ['api-keys'],
    queryFn: ({ signal }) => identity.listApiKeys({ signal }),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => identity.revokeApiKey(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  return (
    <section aria-labelledby="api-keys">
      <h2 id="api-keys">API keys</h2>
      <p className="faint">
        For CI and scripts, set as VP_TOKEN. A key has the permissions of its role, and never more than yours.
      </p>
      {error ? <ErrorNotice error={error} /> : null}
      <ul className="plain-list">
        {data.map((key) => (
          <li key={key.key_id}>
            <span>
              <b>{key.name}</b> {key.role}
              <KeyUsage apiKey={key} />
            </span>
            <button type="button" className="small destructive" onClick={() => revoke.mutate(key.key_id)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
      <NewApiKey />
    </section>
  );
}

function KeyUsage({ apiKey: { expires_at: expiresAt, last_used_at: lastUsedAt } }: { apiKey: ApiKey }) {
  const isExpiringSoon = expiresAt !== null && Date.parse(expiresAt) - nowMs() < weekMs;
  return (
    <span className="faint">
      ,{' '}
      {expiresAt === null ? (
        'no expiration'
      ) : (
        <span className={isExpiringSoon ? 'soon' : undefined}>expires {formatTimeUntil(expiresAt, nowMs())}</span>
      )}
      ,{' '}
      {lastUsedAt === null ? (
        'never used'
      ) : (
        <>
          used <RelativeTime timestamp={lastUsedAt} />
        </>
      )}
    </span>
  );
}
