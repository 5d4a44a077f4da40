import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Hub } from '../../contract/hub-api.ts';
import { Empty } from '../parts/empty.tsx';
import { useConnection } from '../session/connection.ts';
import { ConnectionCard } from './connection-card.tsx';
import { Loaded } from './loaded.tsx';
import { NewConnection } from './new-connection.tsx';
import { SignInReturn } from './sign-in-return.tsx';

/** The tool servers behind a hub. */
export function Connections({ hub }: { hub: Hub }) {
  const { hubs } = useConnection();
  const [adding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: ['hub-connections', hub.slug],
    queryFn: ({ signal }) => hubs.connections(hub.slug, { signal }),
    refetchInterval: 10_000,
  });
  const mayChange = hub.role === 'owner';
  const add = mayChange ? (
    <p className="actions">
      <button type="button" className="strong" onClick={() => setAdding(true)}>
        Add connection…
      </button>
      <Link href="/registry">Find one in the registry</Link>
    </p>
  ) : (
    <p className="faint">Owners of the hub add and change connections.</p>
  );
  return (
    <>
      <SignInReturn />
      <Loaded query={query}>
        {(connections) =>
          connections.length === 0 ? (
            <Empty title="No connection yet">
              <p>A connection leads to an MCP server; the hub offers its tools as connection__tool.</p>
              {add}
            </Empty>
          ) : (
            <>
              {add}
              <div className="cards">
                {connections.map((one) => (
                  <ConnectionCard key={one.connection_id} hub={hub.slug} connection={one} mayChange={mayChange} />
                ))}
              </div>
            </>
          )
        }
      </Loaded>
      {adding ? <NewConnection hub={hub.slug} onClose={() => setAdding(false)} /> : null}
    </>
  );
}
