import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Grant } from '../../contract/identity-api.ts';
import { nowMs } from '../browser.ts';
import { Ago } from '../parts/ago.tsx';
import { Command } from '../parts/command.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { Target } from '../sign-in/leave.tsx';
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
      <p className="faint">They act for you. Ending one signs it out at once.</p>
      {problem ? <Problem error={problem} /> : null}
      <ul className="plain-list">
        {data?.map((grant) => (
          <li key={grant.grant_id}>
            <Facts grant={grant} />
            <button
              type="button"
              className="quiet"
              aria-label={`End ${grant.client.name}`}
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
  const { client, created_at: since, expires_at: until, last_used_at: used, last_address: from, may, member } = grant;
  return (
    <span className="grow">
      <b>{client.name}</b>
      {client.host === null ? null : <> ({client.host})</>} for <Target of={grant} />
      <br />
      <span className="faint">
        Since <Ago at={since} />
        {until === null ? null : <>, expires {untilText(until, nowMs())}</>},{' '}
        {used === null ? (
          'never used'
        ) : (
          <>
            used <Ago at={used} /> from {from}
          </>
        )}
        <br />
        {member ? `May ${may.join('; ')}` : 'You are no longer in this hub: it opens nothing.'}
      </span>
    </span>
  );
}
