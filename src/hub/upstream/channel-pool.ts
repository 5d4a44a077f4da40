/**
 * The open channels of one server: the main channel, and in older eras one for each person and set of capabilities. Their
 * number is bounded; a channel without calls makes room for another.
 */
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { Channel } from './channel.ts';

export type ChannelPoolOptions = {
  /** The name of the connection. */
  readonly connection: string;
  readonly maxChannels: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
};

type PooledChannel = { readonly opening: Promise<Channel>; channel: Channel | undefined; lastUsedMs: number };

export const mainChannelKey = '';
/** After that, a person's channel is closed. The main channel stays as long as the server is used. */
const idleMs = 15 * 60_000;

export class ChannelPool {
  readonly #options: ChannelPoolOptions;
  /** Least recently used first. */
  readonly #channels = new Map<string, PooledChannel>();

  constructor(options: ChannelPoolOptions) {
    this.#options = options;
  }

  /** The channel of a key, opened if there is none. Throws UPSTREAM_FULL, and what `open` throws. */
  get(key: string, open: () => Promise<Channel>): Promise<Channel> {
    try {
      const pooled = this.#channels.get(key) ?? this.#add(key, open);
      pooled.lastUsedMs = this.#options.clock.monotonicMs();
      this.#channels.delete(key);
      this.#channels.set(key, pooled);
      return pooled.opening;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The channel of a key that is open; undefined otherwise. */
  find(key: string): Channel | undefined {
    return this.#channels.get(key)?.channel;
  }

  #add(key: string, open: () => Promise<Channel>): PooledChannel {
    if (key !== mainChannelKey) this.#makeRoom();
    const opening = open();
    const pooled: PooledChannel = { opening, channel: undefined, lastUsedMs: 0 };
    opening.then(
      (channel) => {
        pooled.channel = channel;
        if (channel.isClosed) this.#remove(key, pooled);
      },
      () => this.#remove(key, pooled),
    );
    return pooled;
  }

  #makeRoom(): void {
    const { connection, maxChannels } = this.#options;
    if (this.#channels.size < maxChannels) return;
    const idle = [...this.#channels].find(([key, { channel }]) => key !== mainChannelKey && channel?.isIdle);
    if (!idle) throw vpError('UPSTREAM_FULL', { connection, max: maxChannels });
    this.#close(...idle);
  }

  /** Takes no new calls for a channel; it is closed after its last one. */
  retire(channel: Channel): void {
    for (const [key, pooled] of this.#channels) if (pooled.channel === channel) this.#remove(key, pooled);
    channel.retire();
  }

  removeClosed(): void {
    for (const [key, pooled] of this.#channels) if (pooled.channel?.isClosed) this.#remove(key, pooled);
  }

  closeIdle(): void {
    const idleSinceMs = this.#options.clock.monotonicMs() - idleMs;
    for (const [key, pooled] of this.#channels) {
      const isUnused = pooled.lastUsedMs < idleSinceMs && pooled.channel?.isIdle;
      if (key !== mainChannelKey && isUnused) this.#close(key, pooled);
    }
  }

  async close(): Promise<void> {
    const all = [...this.#channels.values()];
    this.#channels.clear();
    await Promise.all(all.map(async ({ opening }) => (await opening.catch(() => undefined))?.close()));
  }

  #close(key: string, pooled: PooledChannel): void {
    this.#remove(key, pooled);
    void pooled.channel?.close();
  }

  #remove(key: string, pooled: PooledChannel): void {
    if (this.#channels.get(key) === pooled) this.#channels.delete(key);
  }
}
