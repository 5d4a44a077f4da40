import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiKey } from '../../contract/identity-api.ts';
import { nowMs } from '../browser.ts';
import { Ago } from '../parts/ago.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { untilText } from '../words/moments.ts';
import { NewApiKey } from './new-api-key.tsx';

const weekMs = 7 * 86_400_000;

/** Keys for CI. */
export function ApiKeys() {
  const { identity } = useConnection();
  const queries = useQueryClient();
  const { data = [], error } = useQuery({
    queryKey: ['api-keys'],
    queryFn: ({ signal }) => identity.apiKeys({ signal }),
  });
  const end = useMutation({
    mutationFn: (id: string) => identity.endApiKey(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  return (
    <section aria-labelledby="api-keys">
      <h2 id="api-keys">API keys</h2>
      <p className="faint">For machines, as VP_TOKEN. A key may do what its role may, and never more than you.</p>
      {error ? <Problem error={error} /> : null}
      <ul className="plain-list">
        {data.map((key) => (
          <li key={key.key_id}>
            <span>
              <b>{key.name}</b> {key.role}
              <Uses apiKey={key} />
            </span>
            <button type="button" className="quiet" onClick={() => end.mutate(key.key_id)}>
              End
            </button>
          </li>
        ))}
      </ul>
      <NewApiKey />
    </section>
  );
}

function Uses({ apiKey: { expires_at: until, last_used_at: used } }: { apiKey: ApiKey }) {
  const soon = until !== null && Date.parse(until) - nowMs() < weekMs;
  return (
    <span className="faint">
      ,{' '}
      {until === null ? (
        'no end'
      ) : (
        <span className={soon ? 'soon' : undefined}>expires {untilText(until, nowMs())}</span>
      )}
      ,{' '}
      {used === null ? (
        'never used'
      ) : (
        <>
          used <Ago at={used} />
        </>
      )}
    </span>
  );
}
