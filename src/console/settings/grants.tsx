import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Grant } from '../../contract/identity-api.ts';
import { nowMs } from '../browser.ts';
import { Ago } from '../parts/ago.tsx';
import { Command } from '../parts/command.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { scopeWords } from '../sign-in/scopes.tsx';
import { untilText } from '../words/moments.ts';

/** Programs that act for the person. */
export function Grants() {
  const { identity } = useConnection();
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: ['grants'], queryFn: ({ signal }) => identity.grants({ signal }) });
  const end = useMutation({
    mutationFn: (id: string) => identity.endGrant(id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['grants'] }),
  });
  const problem = error ?? end.error;
  return (
    <section aria-labelledby="grants">
      <h2 id="grants">Programs</h2>
      <p className="faint">They act for you, with your role. Ending one signs it out at once.</p>
      {problem ? <Problem error={problem} /> : null}
      <ul className="plain-list">
        {data?.map((grant) => (
          <li key={grant.grant_id}>
            <span>
              <b>{grant.client_name}</b>
              <Facts grant={grant} />
            </span>
            <button
              type="button"
              className="quiet"
              aria-label={`End ${grant.client_name}`}
              onClick={() => end.mutate(grant.grant_id)}
            >
              End
            </button>
          </li>
        ))}
      </ul>
      {data?.length === 0 ? (
        <>
          <p className="faint">None so far. A terminal signs in with:</p>
          <Command text={`vp login --control-plane ${location.origin}`} />
        </>
      ) : null}
    </section>
  );
}

function Facts({ grant }: { grant: Grant }) {
  const { created_at: since, expires_at: until, last_used_at: used, last_address: from, scopes } = grant;
  return (
    <span className="faint">
      , since <Ago at={since} />
      {until === null ? null : <>, expires {untilText(until, nowMs())}</>},{' '}
      {used === null ? (
        'never used'
      ) : (
        <>
          used <Ago at={used} /> from {from}
        </>
      )}
      <br />
      May {scopes.map(scopeWords).join('; ')}
    </span>
  );
}
