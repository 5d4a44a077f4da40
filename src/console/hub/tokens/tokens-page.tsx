import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Hub, HubToken } from '../../../contract/hubs/hubs-api.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { hubPath } from '../../paths.ts';
import { useClient } from '../../session/client.ts';
import { HubSteps } from '../hub-steps.tsx';
import { QueryContent } from '../query-content.tsx';
import { NewToken } from './new-token.tsx';
import { TokenRow } from './token-row.tsx';

const refetchInterval = 30_000;

export function TokensPage({ hub }: { hub: Hub }) {
  const { hubs } = useClient();
  const { slug } = hub;
  const query = useQuery({
    queryKey: ['hub-tokens', slug],
    queryFn: ({ signal }) => hubs.listTokens(slug, { signal }),
    refetchInterval,
  });
  return (
    <>
      <p className="faint">
        For clients without a browser. A token belongs to you and to this hub. Its calls are audited in your name.{' '}
        <Link href={hubPath(slug, 'connect')}>Connect a client</Link>
      </p>
      <NewToken hub={slug} />
      <QueryContent query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState title="No tokens yet">
              <p>Name a token after where it is used, so that you know what stops working when it expires.</p>
              <HubSteps hub={hub} />
            </EmptyState>
          ) : (
            <TokenTable tokens={tokens} showPerson={hub.role === 'owner'} />
          )
        }
      </QueryContent>
      <OtherHubTokens hub={slug} />
    </>
  );
}

/** The person's own tokens for all hubs except `hub`, including hubs that the person has left. */
export function OtherHubTokens({ hub }: { hub: string | undefined }) {
  const { hubs } = useClient();
  const { data = [] } = useQuery({
    queryKey: ['hub-tokens'],
    queryFn: ({ signal }) => hubs.listOwnTokens({ signal }),
    refetchInterval,
  });
  const otherTokens = data.filter((token) => token.hub !== hub);
  if (otherTokens.length === 0) return null;
  return (
    <section aria-labelledby="other-tokens">
      <h2 id="other-tokens">{hub === undefined ? 'Your tokens' : 'Your tokens for other hubs'}</h2>
      <TokenTable tokens={otherTokens} showHub />
    </section>
  );
}

type TokenTableProps = {
  readonly tokens: readonly HubToken[];
  readonly showPerson?: boolean;
  readonly showHub?: boolean;
};

function TokenTable({ tokens, showPerson = false, showHub = false }: TokenTableProps) {
  const extraColumn = showHub ? 'Hub' : showPerson ? 'Person' : undefined;
  const extraColumns = extraColumn === undefined ? [] : [extraColumn];
  return (
    <DataTable
      className="people tokens"
      columns={['Name', ...extraColumns, 'Created', 'Expires', 'Last used', 'Actions']}
    >
      {tokens.map((token) => (
        <TokenRow key={token.token_id} token={token} extraColumn={extraColumn} />
      ))}
    </DataTable>
  );
}
