/** All upstream servers in use, of all hubs: made when needed, made anew when their record changed, closed when idle. */

import type { Connection } from '../words.ts';
import type { ChangedList } from './channel.ts';
import type { ConnectedServer, UpstreamListener } from './connected-server.ts';
import { holderOf } from './kept-grant.ts';
import { MemoryUpstream } from './memory-upstream.ts';
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
  readonly #open = new Map<string, ConnectedServer>();
  #cancelSweep: () => void;

  constructor(parts: UpstreamParts, listener: UpstreamsListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#cancelSweep = parts.clock.after(sweepMs, () => this.#sweep());
  }

  /** The upstream of a connection for a person; where the credential is shared it is the same for all. */
  of(connection: Connection, personId: string): ConnectedServer {
    const holder = holderOf(connection, personId);
    const key = `${connection.id} ${holder ?? ''}`;
    const open = this.#open.get(key);
    if (open && open.connection.revision === connection.revision) return open;
    if (open) void open.close();
    const made = this.#made(connection, holder);
    this.#open.delete(key);
    this.#open.set(key, made);
    this.#makeRoom();
    return made;
  }

  /** One of its own beside the others, for its maker to close; nothing is noted of it. */
  aside(connection: Connection, personId: string, parts: Partial<UpstreamParts>): ConnectedServer {
    const quiet = { noteState: () => {}, noteWarning: () => {} };
    return serverOf(connection, holderOf(connection, personId), { ...this.#parts, ...quiet, ...parts }, nobodyListens);
  }

  /** Closes that of a holder: what it knows of its sign-in is over. */
  renew({ id }: Pick<Connection, 'id'>, holder: string | undefined): void {
    const key = `${id} ${holder ?? ''}`;
    const open = this.#open.get(key);
    if (open) this.#end(key, open);
  }

  #made(connection: Connection, holder: string | undefined): ConnectedServer {
    return serverOf(connection, holder, this.#parts, {
      onChanged: (list) => this.#listener.onChanged(connection, list),
      onUpdated: (uri) => this.#listener.onUpdated(connection, uri),
    });
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

  #end(key: string, upstream: ConnectedServer): void {
    this.#open.delete(key);
    void upstream.close();
  }
}

const nobodyListens: UpstreamListener = { onChanged: () => {}, onUpdated: () => {} };

function serverOf(
  connection: Connection,
  holder: string | undefined,
  parts: UpstreamParts,
  listener: UpstreamListener,
): ConnectedServer {
  const { memory } = parts;
  if (connection.kind === 'memory' && memory) return new MemoryUpstream(connection, { ...parts, memory });
  return new Upstream(connection, holder, parts, listener);
}
