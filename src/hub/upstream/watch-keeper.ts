/**
 * What callers watch at one server. A subscription of the older eras ends with the connection, and a server that was restarted
 * does not say so: while anything is watched, the connection is checked, opened again when it is lost, and everything
 * is watched there again.
 */
import type { Clock } from '../../environment/clock.ts';
import type { WatchTarget } from './changes.ts';
import type { Channel } from './channel.ts';

export type WatchKeeperOptions = {
  readonly clock: Pick<Clock, 'after'>;
  /** An open channel whose server reports on the target; one is opened if there is none. */
  getChannel(target: WatchTarget): Promise<Channel>;
  /** True if the channel has to check whether its server still knows it. */
  needsPing(channel: Channel): boolean;
  /** Called with a channel whose server did not respond as it should. Returns true if the channel was given up. */
  onPingFailed(channel: Channel, error: unknown): boolean;
  /** Changes of a target may have been missed. */
  onMissed(target: WatchTarget): void;
};

type Watch = { readonly target: WatchTarget; channel: Channel; stop: () => Promise<void> };

const checkMs = 30_000;
/** After a connection was lost. */
const retryMs = 5000;

export class WatchKeeper {
  readonly #options: WatchKeeperOptions;
  readonly #watches = new Set<Watch>();
  #cancelCheck: (() => void) | undefined;
  #isChecking = false;
  #isClosed = false;

  constructor(options: WatchKeeperOptions) {
    this.#options = options;
  }

  /** Returns a function that stops watching. Throws what opening the channel and the server throw. */
  async add(target: WatchTarget): Promise<() => Promise<void>> {
    const { getChannel, onMissed } = this.#options;
    const channel = await getChannel(target);
    const watch: Watch = { target, channel, stop: await channel.watch(target, () => onMissed(target)) };
    this.#watches.add(watch);
    if (channel.isClosed) this.onChannelClosed();
    else if (!this.#cancelCheck) this.#schedule(checkMs);
    return async () => {
      this.#watches.delete(watch);
      if (this.#watches.size === 0) this.#cancel();
      await watch.stop();
    };
  }

  /** Looks soon whether watches have to be moved to another channel. */
  onChannelClosed(): void {
    if (this.#watches.size > 0) this.#schedule(retryMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#watches.clear();
    this.#cancel();
  }

  #cancel(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
  }

  #schedule(delayMs: number): void {
    this.#cancel();
    if (!this.#isClosed) this.#cancelCheck = this.#options.clock.after(delayMs, () => void this.#check());
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const isWell = await this.#restore().catch(() => false);
    this.#isChecking = false;
    if (this.#watches.size > 0) this.#schedule(isWell ? checkMs : retryMs);
  }

  /** Returns false if it has to be tried again soon. */
  async #restore(): Promise<boolean> {
    const { getChannel, needsPing, onPingFailed, onMissed } = this.#options;
    const checked = new Set<Channel>();
    let isComplete = true;
    for (const watch of [...this.#watches]) {
      const channel = await getChannel(watch.target);
      try {
        if (!checked.has(channel) && needsPing(channel)) await channel.ping();
        checked.add(channel);
      } catch (error) {
        return !onPingFailed(channel, error);
      }
      if (watch.channel === channel) continue;
      try {
        const stop = await channel.watch(watch.target, () => onMissed(watch.target));
        Object.assign(watch, { channel, stop });
        // It may have been stopped meanwhile, at the channel that was lost.
        if (!this.#watches.has(watch)) await stop().catch(() => {});
        onMissed(watch.target);
      } catch {
        isComplete = false;
      }
    }
    return isComplete;
  }
}
