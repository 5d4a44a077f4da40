import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Hub, HubToken } from '../../contract/hub-api.ts';
import { Empty } from '../parts/empty.tsx';
import { useConnection } from '../session/connection.ts';
import { hubPath } from '../shell/paths.ts';
import { Loaded } from './loaded.tsx';
import { NewToken } from './new-token.tsx';
import { TokenRow } from './token-row.tsx';

const refetchInterval = 30_000;

/** Personal access tokens of a hub. */
export function Tokens({ hub }: { hub: Hub }) {
  const { hubs } = useConnection();
  const { slug } = hub;
  const query = useQuery({
    queryKey: ['hub-tokens', slug],
    queryFn: ({ signal }) => hubs.tokens(slug, { signal }),
    refetchInterval,
  });
  return (
    <>
      <p className="faint">
        For programs without a browser. A token is for this hub and you alone: its calls are audited in your name.{' '}
        <Link href={hubPath(slug, 'connect')}>Connect a client</Link>
      </p>
      <NewToken hub={slug} />
      <Loaded query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <Empty title="No token yet">
              <p>Name it after where it will be used, so that you know later what stops when it ends.</p>
            </Empty>
          ) : (
            <TokenTable tokens={tokens} owner={hub.role === 'owner'} />
          )
        }
      </Loaded>
      <OtherTokens hub={slug} />
    </>
  );
}

/** One's own tokens of all hubs but `hub`, also of those that one has left; nothing where there is none. */
export function OtherTokens({ hub }: { hub: string | undefined }) {
  const { hubs } = useConnection();
  const { data = [] } = useQuery({
    queryKey: ['hub-tokens'],
    queryFn: ({ signal }) => hubs.ownTokens({ signal }),
    refetchInterval,
  });
  const others = data.filter((token) => token.hub !== hub);
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="other-tokens">
      <h2 id="other-tokens">{hub === undefined ? 'Your tokens' : 'Your tokens of other hubs'}</h2>
      <TokenTable tokens={others} elsewhere />
    </section>
  );
}

type TokenTableProps = {
  readonly tokens: readonly HubToken[];
  readonly owner?: boolean;
  readonly elsewhere?: boolean;
};

function TokenTable({ tokens, owner = false, elsewhere = false }: TokenTableProps) {
  const second = elsewhere ? 'Hub' : owner ? 'Person' : undefined;
  return (
    <div className="table-scroll">
      <table className="table people tokens">
        <thead>
          <tr>
            <th scope="col">Name</th>
            {second === undefined ? null : <th scope="col">{second}</th>}
            <th scope="col">Created</th>
            <th scope="col">Expires</th>
            <th scope="col">Last used</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <TokenRow key={token.token_id} token={token} second={second} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
