/** All upstream servers in use, of all hubs: made when needed, made anew when their record changed, closed when idle. */

import type { Connection } from '../words.ts';
import type { ChangedList } from './channel.ts';
import { Upstream, type UpstreamParts } from './upstream.ts';

/** What is heard of any of them. */
export type UpstreamsListener = {
  onChanged(connection: Connection, list: ChangedList): void;
  onUpdated(connection: Connection, uri: string): void;
};

const idleMs = 30 * 60_000;
const sweepMs = 60_000;
const mostUpstreams = 2000;

/** The upstreams. */
export class Upstreams {
  readonly #parts: UpstreamParts;
  readonly #listener: UpstreamsListener;
  readonly #open = new Map<string, Upstream>();
  #cancelSweep: () => void;

  constructor(parts: UpstreamParts, listener: UpstreamsListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#cancelSweep = parts.clock.after(sweepMs, () => this.#sweep());
  }

  /** The upstream of a connection for a person; where the credential is shared it is the same for all. */
  of(connection: Connection, personId: string): Upstream {
    const { credential } = connection;
    const holder = credential.kind === 'oauth' && credential.sharing === 'per_user' ? personId : undefined;
    const key = `${connection.id} ${holder ?? ''}`;
    const open = this.#open.get(key);
    if (open && open.connection.revision === connection.revision) return open;
    if (open) void open.close();
    const made = new Upstream(connection, holder, this.#parts, {
      onChanged: (list) => this.#listener.onChanged(connection, list),
      onUpdated: (uri) => this.#listener.onUpdated(connection, uri),
    });
    this.#open.delete(key);
    this.#open.set(key, made);
    this.#makeRoom();
    return made;
  }

  /** Closes those of a hub whose connection is none of `connections` any more. */
  keepOnly(hubId: string, connections: readonly Connection[]): void {
    const known = new Map(connections.map((connection) => [connection.id, connection.revision]));
    for (const [key, upstream] of this.#open) {
      const { connection } = upstream;
      if (connection.hubId === hubId && known.get(connection.id) !== connection.revision) this.#end(key, upstream);
    }
  }

  async close(): Promise<void> {
    this.#cancelSweep();
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(all.map((upstream) => upstream.close()));
  }

  #sweep(): void {
    const oldMs = this.#parts.clock.monotonicMs() - idleMs;
    for (const [key, upstream] of this.#open) if (upstream.lastUsedMs < oldMs) this.#end(key, upstream);
    this.#cancelSweep = this.#parts.clock.after(sweepMs, () => this.#sweep());
  }

  #makeRoom(): void {
    for (const [key, upstream] of this.#open) {
      if (this.#open.size <= mostUpstreams) return;
      this.#end(key, upstream);
    }
  }

  #end(key: string, upstream: Upstream): void {
    this.#open.delete(key);
    void upstream.close();
  }
}
