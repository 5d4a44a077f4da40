/**
 * The older part of a server of both eras, for clients of older revisions that can be asked: the newest part of such a server may
 * ask for less. Only in a session can a client be asked there; a server without sessions is called in its newest part.
 */
import type { Clock } from '../../environment/clock.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { ChangedList } from './changes.ts';
import type { Channel } from './channel.ts';
import { createUpstreamLists, type ListSource, type UpstreamLists } from './lists/upstream-lists.ts';

export type OlderPartOptions = Pick<ListSource, 'connection' | 'getMask'> & {
  readonly clock: Clock;
  /** How long to wait for its tools. */
  readonly listTimeoutMs: number;
};

/** How long a server without an older part is not tried again. */
const retryMs = 15 * 60_000;

export class OlderPart {
  readonly #options: OlderPartOptions;
  readonly #lists: UpstreamLists;
  #channel: Channel | undefined;
  #absentUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: OlderPartOptions) {
    this.#options = options;
    const source: ListSource = {
      ...options,
      capabilities: async () => this.#channel?.client.getServerCapabilities() ?? {},
      send: async (...request) => (await this.#channel?.send(...request)) ?? {},
    };
    this.#lists = createUpstreamLists(source, options.clock);
  }

  /**
   * The channel that `open` opens, or finds open, if the tool can be called there; undefined where the newest part must be called.
   * `open` rejects, or resolves to undefined, for a server that has no older part of use.
   */
  async findChannel(tool: unknown, open: () => Promise<Channel | undefined>): Promise<Channel | undefined> {
    const { clock, listTimeoutMs } = this.#options;
    if (clock.monotonicMs() < this.#absentUntilMs) return undefined;
    const channel = await this.#open(open);
    if (!channel) return undefined;
    this.#channel = channel;
    const { items = [] } = await this.#lists.tools.get(listTimeoutMs);
    // The tasks of the newest part are other ones.
    const isCallable = items.some(({ name, execution }) => name === tool && execution?.taskSupport !== 'required');
    return isCallable ? channel : undefined;
  }

  async #open(open: () => Promise<Channel | undefined>): Promise<Channel | undefined> {
    let channel: Channel | undefined;
    try {
      channel = await open();
    } catch (error) {
      // No more sessions may be open at present.
      if (error instanceof VpError) return undefined;
    }
    if (!channel) this.#absentUntilMs = this.#options.clock.monotonicMs() + retryMs;
    return channel;
  }

  invalidate(list: ChangedList): void {
    this.#lists.invalidate(list);
  }
}
