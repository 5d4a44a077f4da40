import { useQuery } from '@tanstack/react-query';
import type { SystemReplica, SystemState } from '../../../contract/system-api.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { QueryContent } from '../../hub/query-content.tsx';
import { useClient } from '../../session/client.ts';
import { useHasRole } from '../../session/use-session.ts';

/** Replicas come and go without an event. */
const refetchInterval = 5_000;

/** What the control plane runs on. */
export function SystemPage() {
  const isOwner = useHasRole('owner');
  const { system } = useClient();
  const query = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => system.get({ signal }),
    refetchInterval,
    enabled: isOwner,
  });
  if (!isOwner) return <p className="faint">Only owners can see what the control plane runs on.</p>;
  return (
    <QueryContent query={query}>
      {(state) => (
        <>
          <StoreFacts state={state} />
          {state.replication === null ? null : <Replicas replication={state.replication} />}
        </>
      )}
    </QueryContent>
  );
}

function StoreFacts({ state: { version, store } }: { state: SystemState }) {
  return (
    <dl className="facts-list">
      <dt>Version</dt>
      <dd>{version}</dd>
      <dt>Store</dt>
      {store.engine === 'sqlite' ? (
        <dd>SQLite, in the data folder of this one process</dd>
      ) : (
        <dd>
          PostgreSQL {store.server_version}
          {store.connection === 'pooled' ? ', through a pooler' : ''}
        </dd>
      )}
      {store.connections ? (
        <>
          <dt>Connections</dt>
          <dd>
            {store.connections.used} of {store.connections.open} in use, {store.connections.waiting} operations waiting
          </dd>
        </>
      ) : null}
      {store.notices ? (
        <>
          <dt>Notices</dt>
          <dd>{formatNotices(store.notices)}</dd>
        </>
      ) : null}
    </dl>
  );
}

function formatNotices(notices: 'hint' | 'polling'): string {
  return notices === 'hint'
    ? 'hint: what other processes commit is noticed within milliseconds'
    : 'polling: what other processes commit is noticed within a second';
}

function Replicas({ replication: { id, epoch, replicas } }: { replication: NonNullable<SystemState['replication']> }) {
  return (
    <section aria-labelledby="replicas">
      <h2 id="replicas">Replicas</h2>
      <p>
        This page comes from <code>{id}</code>, the active replica{epoch === null ? '' : ` of term ${epoch}`}. The
        others forward requests to it, and one of them takes over when it stops.
      </p>
      {replicas.length === 0 ? (
        <EmptyState title="No replica is listed yet">
          <p>Replicas say every second that they live.</p>
        </EmptyState>
      ) : (
        <ReplicaTable replicas={replicas} />
      )}
      {replicas.length === 1 ? (
        <>
          <p>There is no replica that could take over. Start another one with the same database and master key:</p>
          <CommandLine text="vp serve --database-file <file> --replica-address <url>" />
        </>
      ) : null}
    </section>
  );
}

function ReplicaTable({ replicas }: { replicas: readonly SystemReplica[] }) {
  return (
    <div className="table-scroll">
      <table className="table attention">
        <thead>
          <tr>
            <th scope="col">Replica</th>
            <th scope="col">Role</th>
            <th scope="col">Version</th>
            <th scope="col">Address</th>
            <th scope="col">Started</th>
            <th scope="col">Last heartbeat</th>
          </tr>
        </thead>
        <tbody>
          {replicas.map(({ id, role, version, address, started_at: startedAt, heartbeat_at: heartbeatAt }) => (
            <tr key={id}>
              <td className="mono wrap">{id}</td>
              <td data-label="Role">{role}</td>
              <td data-label="Version">{version}</td>
              <td data-label="Address" className="wrap">
                <code>{address}</code>
              </td>
              <td data-label="Started">
                <RelativeTime timestamp={startedAt} />
              </td>
              <td data-label="Last heartbeat">
                <RelativeTime timestamp={heartbeatAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
