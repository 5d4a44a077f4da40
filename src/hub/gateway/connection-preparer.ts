/**
 * Connects a hub's servers when the hub is first used after a start, so that the first call of each does not wait for a connection,
 * the negotiation of a revision and a list of tools. Only those that all persons share: nobody is signed in here.
 */

import type { ConnectionRepository, UpstreamConnection } from '../connections/connection.ts';
import { getGrantHolder } from '../sign-in/stored-grant.ts';
import type { UpstreamPool } from '../upstream/upstream-pool.ts';

export type ConnectionPreparerDependencies = {
  readonly connectionRepository: Pick<ConnectionRepository, 'listEnabled'>;
  readonly upstreams: Pick<UpstreamPool, 'get'>;
  readonly listTimeoutMs: number;
};

/** A hub with many servers must not take the processor from its first caller. */
const maxAtOnce = 8;

export class ConnectionPreparer {
  readonly #dependencies: ConnectionPreparerDependencies;
  readonly #prepared = new Set<string>();
  #isClosed = false;

  constructor(dependencies: ConnectionPreparerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Once for each hub; the servers connect while the caller is answered. Never throws. */
  prepare(hubId: string): void {
    if (this.#prepared.has(hubId)) return;
    this.#prepared.add(hubId);
    void this.#prepareAll(hubId).catch(() => this.#prepared.delete(hubId));
  }

  close(): void {
    this.#isClosed = true;
  }

  async #prepareAll(hubId: string): Promise<void> {
    const connections = await this.#dependencies.connectionRepository.listEnabled(hubId);
    const pending = connections.filter((connection) => getGrantHolder(connection, '') === undefined);
    const work = async (): Promise<void> => {
      for (let next = pending.shift(); next && !this.#isClosed; next = pending.shift()) await this.#connect(next);
    };
    await Promise.all(Array.from({ length: maxAtOnce }, work));
  }

  /** A server that cannot be reached is a matter of its list. */
  async #connect(connection: UpstreamConnection): Promise<void> {
    const { upstreams, listTimeoutMs } = this.#dependencies;
    await upstreams.get(connection, '').lists.tools.get(listTimeoutMs);
  }
}
