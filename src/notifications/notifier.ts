/**
 * Collects changes and sends them, while the control plane runs; on PostgreSQL that is the active replica. Each channel has one
 * message on its way at a time, and a slow receiver delays no other.
 */
import { listChannels } from '../store/control/notifications/channels.ts';
import { findNextDeliveryMs, saveMessageResult } from '../store/control/notifications/deliveries.ts';
import { WorkLoop } from '../timing/work-loop.ts';
import { type ChangeCollector, createChangeCollector } from './change-collector.ts';
import type { NotificationContext } from './context.ts';
import { type OutgoingMessage, takeNextMessage, toDeliveryResult } from './outbox.ts';
import { sendMessage } from './send-message.ts';

/** Also the longest time after which an executor that is away is noticed. */
const maxWaitMs = 30_000;
const retryMs = 5_000;

export type Notifier = {
  /** Call it when channels or deliveries were changed. */
  wake(): void;
  /** Resolves when what has begun has ended; messages on their way are sent again after the next start. */
  stop(): Promise<void>;
};

export function startNotifier(context: NotificationContext): Notifier {
  const notifier = new ChannelNotifier(context);
  notifier.start();
  return notifier;
}

class ChannelNotifier implements Notifier {
  readonly #context: NotificationContext;
  readonly #stopping = new AbortController();
  readonly #collector: ChangeCollector;
  readonly #loop: WorkLoop;
  /** By channel. */
  readonly #sending = new Map<string, Promise<void>>();
  /** As far as is known: without channels, commits are ignored. */
  #hasChannels = true;
  #cancelCollection: (() => void) | undefined;
  #stopListening = (): void => {};

  constructor(context: NotificationContext) {
    const { clock, onError } = context;
    this.#context = context;
    this.#collector = createChangeCollector(context, this.#stopping.signal);
    this.#loop = new WorkLoop({ clock, work: () => this.#work(), maxWaitMs, retryMs, onError });
  }

  start(): void {
    this.#stopListening = this.#context.database.onCommit(() => this.#collectLater());
    this.#loop.wake();
  }

  wake(): void {
    // A channel that is new, or gets other changes, may lack them.
    this.#collector.forgetAbsences();
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    this.#stopListening();
    this.#stopping.abort(new Error('the notifier stops'));
    this.#cancelCollection?.();
    await this.#loop.stop();
    await Promise.allSettled(this.#sending.values());
  }

  /** Commits that follow within the delay are looked at together. */
  #collectLater(): void {
    if (!this.#hasChannels || this.#cancelCollection || this.#loop.isStopped) return;
    const { clock, settings } = this.#context;
    this.#cancelCollection = clock.after(settings.collectDelayMs, () => {
      this.#cancelCollection = undefined;
      this.#loop.wake();
    });
  }

  async #work(): Promise<number | undefined> {
    this.#hasChannels = (await this.#context.database.read(listChannels)).length > 0;
    if (!this.#hasChannels) return undefined;
    await this.#collector.collect();
    await this.#startSending();
    return this.#findNextMs();
  }

  async #startSending(): Promise<void> {
    const { database, clock, settings } = this.#context;
    const nowMs = clock.nowMs();
    const idle = await this.#listIdleChannels();
    for (const { id, nextMs } of idle) {
      if (nextMs > nowMs) continue;
      if (this.#loop.isStopped) return;
      const message = await database.write((sql) => takeNextMessage(sql, id, clock.nowMs(), settings));
      if (message) this.#sending.set(id, this.#sendThenWake(id, message));
    }
  }

  async #sendThenWake(channelId: string, message: OutgoingMessage): Promise<void> {
    try {
      await this.#send(channelId, message);
    } catch (error) {
      if (!this.#loop.isStopped) this.#context.onError(error);
    }
    this.#sending.delete(channelId);
    this.#loop.wake();
  }

  async #send(channelId: string, message: OutgoingMessage): Promise<void> {
    const { database, clock, settings, address } = this.#context;
    const channel = (await database.read(listChannels)).find(({ id }) => id === channelId);
    if (!channel) return;
    const addressed = { ...message, address: address() };
    const outcome = await sendMessage(this.#context, channel, addressed, this.#stopping.signal);
    const result = toDeliveryResult(channel, message, outcome, clock.nowMs(), settings);
    await database.write((sql) => saveMessageResult(sql, channelId, message.id, result));
  }

  async #findNextMs(): Promise<number> {
    const nextMs = (await this.#listIdleChannels()).map((channel) => channel.nextMs);
    return Math.min(this.#context.clock.nowMs() + maxWaitMs, ...nextMs);
  }

  /** Those with a delivery that waits, and without a message on its way: they are looked at again when that has arrived. */
  #listIdleChannels(): Promise<{ readonly id: string; readonly nextMs: number }[]> {
    // On PostgreSQL the operation is repeated until its queries are answered, and must ask the same each time.
    const sending = new Set(this.#sending.keys());
    return this.#context.database.read((sql) =>
      listChannels(sql).flatMap(({ id }) => {
        const nextMs = sending.has(id) ? undefined : findNextDeliveryMs(sql, id);
        return nextMs === undefined ? [] : [{ id, nextMs }];
      }),
    );
  }
}
