/**
 * Collects changes and sends them, while the control plane runs; on PostgreSQL that is the active replica. Each channel has one
 * message on its way at a time, and a slow receiver delays no other.
 */
import { listChannels } from '../store/control/notifications/channels.ts';
import { findNextDeliveryMs, saveMessageResult } from '../store/control/notifications/deliveries.ts';
import { createChangeCollector } from './change-collector.ts';
import type { NotificationContext } from './context.ts';
import { type OutgoingMessage, takeNextMessage, toDeliveryResult } from './outbox.ts';
import { sendMessage } from './send-message.ts';

/** Also after a jump of the clock, and to notice executors that are away. */
const maxWaitMs = 30_000;
const retryMs = 5_000;

export type Notifier = {
  /** Call it when channels or deliveries were changed. */
  wake(): void;
  /** Resolves when what has begun has ended; messages on their way are sent again after the next start. */
  stop(): Promise<void>;
};

export function startNotifier(context: NotificationContext): Notifier {
  const { database, clock, settings, onError } = context;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sending = new Map<string, Promise<void>>();
  const collector = createChangeCollector(context, signal);
  let hasChannels = true;
  let isRunning = false;
  let isAwake = false;
  let current = Promise.resolve();
  let cancelTimer = (): void => {};
  let cancelCollection: (() => void) | undefined;

  async function send(channelId: string, message: OutgoingMessage): Promise<void> {
    const channel = (await database.read(listChannels)).find(({ id }) => id === channelId);
    if (!channel) return;
    const outcome = await sendMessage(context, channel, { ...message, address: context.address() }, signal);
    const result = toDeliveryResult(channel, message, outcome, clock.nowMs(), settings);
    await database.write((sql) => saveMessageResult(sql, channelId, message.id, result));
  }

  async function startSending(): Promise<void> {
    const nowMs = clock.nowMs();
    const due = await database.read((sql) =>
      listChannels(sql)
        .map(({ id }) => id)
        .filter((id) => !sending.has(id) && (findNextDeliveryMs(sql, id) ?? Number.POSITIVE_INFINITY) <= nowMs),
    );
    for (const id of due) {
      if (signal.aborted) return;
      const message = await database.write((sql) => takeNextMessage(sql, id, clock.nowMs(), settings));
      if (!message) continue;
      const work = send(id, message)
        .catch((error: unknown) => (signal.aborted ? undefined : onError(error)))
        .finally(() => {
          sending.delete(id);
          start();
        });
      sending.set(id, work);
    }
  }

  /** Channels with a message on its way are looked at when it has arrived. */
  async function findWaitMs(): Promise<number> {
    const nextMs = await database.read((sql) =>
      listChannels(sql).flatMap(({ id }) => (sending.has(id) ? [] : (findNextDeliveryMs(sql, id) ?? []))),
    );
    return Math.max(10, Math.min(maxWaitMs, ...nextMs.map((ms) => ms - clock.nowMs())));
  }

  async function work(): Promise<void> {
    let waitMs = maxWaitMs;
    do {
      isAwake = false;
      try {
        hasChannels = (await database.read(listChannels)).length > 0;
        if (!hasChannels) continue;
        await collector.collect();
        await startSending();
        waitMs = await findWaitMs();
      } catch (error) {
        waitMs = retryMs;
        if (!signal.aborted) onError(error);
      }
    } while (isAwake && !signal.aborted);
    isRunning = false;
    if (!signal.aborted && hasChannels) cancelTimer = clock.after(waitMs, start);
  }

  function start(): void {
    if (signal.aborted) return;
    isAwake = true;
    if (isRunning) return;
    isRunning = true;
    cancelTimer();
    current = work();
  }

  const stopListening = database.onCommit(() => {
    if (!hasChannels || cancelCollection || signal.aborted) return;
    cancelCollection = clock.after(settings.collectDelayMs, () => {
      cancelCollection = undefined;
      start();
    });
  });
  start();
  return {
    wake() {
      // A channel that is new, or gets other changes, may lack them.
      collector.forgetAbsences();
      start();
    },
    async stop() {
      stopListening();
      stopping.abort(new Error('the notifier stops'));
      cancelTimer();
      cancelCollection?.();
      await current;
      await Promise.allSettled(sending.values());
    },
  };
}
