/** All upstream servers in use: created on demand, replaced when their connection changed, closed when idle. */

import { repeatEvery } from '../../timing/repeat.ts';
import type { UpstreamConnection } from '../connections/connection.ts';
import { getGrantHolder } from '../sign-in/stored-grant.ts';
import type { RootsSession } from './changed-roots.ts';
import type { ChangedList } from './changes.ts';
import type { MaskTarget } from './credential-masker.ts';
import { MemoryUpstream } from './memory-upstream.ts';
import { RemoteUpstream, type UpstreamDependencies } from './remote-upstream.ts';
import type { UpstreamCallOptions } from './upstream-call.ts';
import type { UpstreamListener, UpstreamServer } from './upstream-server.ts';

export type UpstreamPoolListener = {
  onChanged(connection: UpstreamConnection, list: ChangedList): void;
  onUpdated(connection: UpstreamConnection, uri: string): void;
  /** The server says how a task is, by its own id. */
  onTaskStatus(source: MaskTarget, params: Record<string, unknown>): void;
  onElicitationComplete(source: MaskTarget, params: Record<string, unknown>): void;
};

const idleMs = 30 * 60_000;
const sweepMs = 60_000;
const maxUpstreams = 2000;

export class UpstreamPool {
  readonly #dependencies: UpstreamDependencies;
  readonly #listener: UpstreamPoolListener;
  readonly #open = new Map<string, UpstreamServer>();
  readonly #stopSweeping: () => void;

  constructor(dependencies: UpstreamDependencies, listener: UpstreamPoolListener) {
    this.#dependencies = dependencies;
    this.#listener = listener;
    this.#stopSweeping = repeatEvery(dependencies.clock, sweepMs, () => this.#sweep());
  }

  /** The server of a connection for a person; the same for all if the credential is shared. */
  get(connection: UpstreamConnection, personId: string): UpstreamServer {
    const holder = getGrantHolder(connection, personId);
    const key = createKey(connection, holder);
    const existing = this.#open.get(key);
    if (existing && existing.connection.revision === connection.revision) return existing;
    if (existing) void existing.close();
    const created = this.#create(connection, holder);
    this.#open.delete(key);
    this.#open.set(key, created);
    this.#evictOldest();
    return created;
  }

  /** A server outside of the pool, to be closed by its creator; its state is not recorded. */
  createIsolated(
    connection: UpstreamConnection,
    personId: string,
    dependencies: Partial<UpstreamDependencies>,
  ): UpstreamServer {
    const noRecording = { recordState: () => {}, recordWarning: () => {} };
    return createServer(
      connection,
      getGrantHolder(connection, personId),
      { ...this.#dependencies, ...noRecording, ...dependencies },
      noopListener,
    );
  }

  /** The open server of a connection that a person uses. */
  find(connection: UpstreamConnection, personId: string): UpstreamServer | undefined {
    return this.#open.get(createKey(connection, getGrantHolder(connection, personId)));
  }

  /** Closes the server of a holder after a change of its sign-in. */
  reset(connection: Pick<UpstreamConnection, 'id'>, holder: string | undefined): void {
    const key = createKey(connection, holder);
    const existing = this.#open.get(key);
    if (existing) this.#remove(key, existing);
  }

  #create(connection: UpstreamConnection, holder: string | undefined): UpstreamServer {
    const upstream: UpstreamServer = createServer(connection, holder, this.#dependencies, {
      onChanged: (list) => this.#listener.onChanged(connection, list),
      onUpdated: (uri) => this.#listener.onUpdated(connection, uri),
      onTaskStatus: (params) => this.#listener.onTaskStatus({ connection, upstream }, params),
      onElicitationComplete: (params) => this.#listener.onElicitationComplete({ connection, upstream }, params),
    });
    return upstream;
  }

  /** Closes the servers of a hub whose connection is not in `connections`. */
  closeOutdated(hubId: string, connections: readonly UpstreamConnection[]): void {
    const revisions = new Map(connections.map((connection) => [connection.id, connection.revision]));
    for (const [key, upstream] of this.#open) {
      const { connection } = upstream;
      if (connection.hubId === hubId && revisions.get(connection.id) !== connection.revision)
        this.#remove(key, upstream);
    }
  }

  /** Tells the servers of a hub that have a session for the caller. */
  announceRoots(
    hubId: string,
    caller: Pick<UpstreamCallOptions, 'personId' | 'capabilities'>,
    toSession: (connection: UpstreamConnection) => RootsSession,
  ): void {
    for (const upstream of this.#open.values())
      if (upstream.connection.hubId === hubId) upstream.announceRoots?.(caller, toSession(upstream.connection));
  }

  async close(): Promise<void> {
    this.#stopSweeping();
    const servers = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(servers.map((upstream) => upstream.close()));
  }

  #sweep(): void {
    const idleSinceMs = this.#dependencies.clock.monotonicMs() - idleMs;
    for (const [key, upstream] of this.#open) {
      if (upstream.lastUsedMs < idleSinceMs) this.#remove(key, upstream);
      else upstream.closeIdle?.();
    }
  }

  #evictOldest(): void {
    for (const [key, upstream] of this.#open) {
      if (this.#open.size <= maxUpstreams) return;
      this.#remove(key, upstream);
    }
  }

  #remove(key: string, upstream: UpstreamServer): void {
    this.#open.delete(key);
    void upstream.close();
  }
}

function createKey({ id }: Pick<UpstreamConnection, 'id'>, holder: string | undefined): string {
  return `${id} ${holder ?? ''}`;
}

const noopListener: UpstreamListener = {
  onChanged: () => {},
  onUpdated: () => {},
  onTaskStatus: () => {},
  onElicitationComplete: () => {},
};

function createServer(
  connection: UpstreamConnection,
  holder: string | undefined,
  dependencies: UpstreamDependencies,
  listener: UpstreamListener,
): UpstreamServer {
  const { memory } = dependencies;
  if (connection.kind === 'memory' && memory) return new MemoryUpstream(connection, { ...dependencies, memory });
  return new RemoteUpstream(connection, holder, dependencies, listener);
}
