import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Grant } from '../../../contract/identity-api.ts';
import { nowMs } from '../../browser.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useClient } from '../../session/client.ts';
import { GrantTarget } from '../../sign-in/consent-details.tsx';
import { formatTimeUntil } from '../../text/format.ts';

/** OAuth clients that act for the signed-in person. */
export function ConnectedApps() {
  const { identity } = useClient();
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: ['grants'], queryFn: ({ signal }) => identity.listGrants({ signal }) });
  const revoke = useMutation({
    mutationFn: (id: string) => identity.revokeGrant(id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['grants'] }),
  });
  const problem = error ?? revoke.error;
  return (
    <section aria-labelledby="grants">
      <h2 id="grants">Connected apps</h2>
      <p className="faint">These apps act for you. Revoking an app signs it out immediately.</p>
      {problem ? <ErrorNotice error={problem} /> : null}
      <ul className="plain-list">
        {data?.map((grant) => (
          <li key={grant.grant_id}>
            <GrantFacts grant={grant} />
            <button
              type="button"
              className="small destructive"
              aria-label={`Revoke ${grant.client.name}`}
              onClick={() => revoke.mutate(grant.grant_id)}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
      {data?.length === 0 ? (
        <>
          <p className="faint">
            No apps yet. An app appears here when you allow it to act for you, for example vp itself:
          </p>
          <CommandLine text={`vp login --control-plane ${location.origin}`} />
        </>
      ) : null}
    </section>
  );
}

function GrantFacts({ grant }: { grant: Grant }) {
  const {
    client,
    created_at: createdAt,
    expires_at: expiresAt,
    last_used_at: lastUsedAt,
    last_address: lastAddress,
    may,
    member,
  } = grant;
  return (
    <span className="grow">
      <b>{client.name}</b>
      {client.host === null ? null : <> ({client.host})</>} for <GrantTarget grant={grant} />
      <br />
      <span className="faint">
        Since <RelativeTime timestamp={createdAt} />
        {expiresAt === null ? null : <>, expires {formatTimeUntil(expiresAt, nowMs())}</>},{' '}
        {lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            used <RelativeTime timestamp={lastUsedAt} /> from {lastAddress}
          </>
        )}
        <br />
        {member ? `Can ${may.join('; ')}` : 'You are no longer a member of this hub, so this app has no access.'}
      </span>
    </span>
  );
}
