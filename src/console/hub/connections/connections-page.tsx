import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { useClient } from '../../session/client.ts';
import { HubSteps } from '../hub-steps.tsx';
import { QueryContent } from '../query-content.tsx';
import { SignInNotice } from '../sign-in/sign-in-notice.tsx';
import { ConnectionCard } from './connection-card.tsx';
import { NewConnection } from './new-connection.tsx';

export function ConnectionsPage({ hub }: { hub: Hub }) {
  const { hubs } = useClient();
  const [isAdding, setIsAdding] = useState(false);
  const query = useQuery({
    queryKey: ['hub-connections', hub.slug],
    queryFn: ({ signal }) => hubs.listConnections(hub.slug, { signal }),
    refetchInterval: 10_000,
  });
  const mayChange = hub.role === 'owner';
  const addActions = mayChange ? (
    <p className="actions">
      <button type="button" className="strong" onClick={() => setIsAdding(true)}>
        Add connection…
      </button>
      <Link href="/registry">Browse the registry</Link>
    </p>
  ) : (
    <p className="faint">Only owners of the hub can add and change connections.</p>
  );
  return (
    <>
      <SignInNotice />
      <QueryContent query={query}>
        {(connections) =>
          connections.length === 0 ? (
            <EmptyState title="No connections yet">
              <p>A connection points to an MCP server. The hub offers its tools as connection__tool.</p>
              <HubSteps hub={hub} />
              {addActions}
            </EmptyState>
          ) : (
            <>
              {addActions}
              <div className="cards">
                {connections.map((connection) => (
                  <ConnectionCard
                    key={connection.connection_id}
                    hub={hub.slug}
                    connection={connection}
                    mayChange={mayChange}
                  />
                ))}
              </div>
            </>
          )
        }
      </QueryContent>
      {isAdding ? <NewConnection hub={hub.slug} onClose={() => setIsAdding(false)} /> : null}
    </>
  );
}
