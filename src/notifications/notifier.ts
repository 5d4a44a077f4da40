/**
 * Computes changes and sends them, while the control plane runs; on PostgreSQL that is the active replica. Each channel has one
 * message on its way at a time, and a slow receiver delays no other.
 */
import type { NotificationChange } from '../contract/notifications-api.ts';
import { readCommittedSeq } from '../store/control/counters.ts';
import {
  deleteFromInbox,
  findPosition,
  listChannels,
  listInbox,
  savePosition,
} from '../store/control/notifications/channels.ts';
import { findNextDeliveryMs, saveMessageResult } from '../store/control/notifications/deliveries.ts';
import { listEndedRuns } from '../store/control/runs/ended-runs.ts';
import type { Sql } from '../store/sql.ts';
import { type ComputedChange, computeAbsence, computeChanges } from './compute-changes.ts';
import type { NotificationContext } from './context.ts';
import { addDeliveries, type OutgoingMessage, takeNextMessage, toResult } from './outbox.ts';
import { sendMessage } from './send-message.ts';

/** Also after a jump of the clock, and to notice executors that are away. */
const maxWaitMs = 30_000;
const retryMs = 5_000;
const runsPerStep = 100;
const inboxPerStep = 100;

export type Notifier = {
  /** Call it when channels or deliveries were changed. */
  wake(): void;
  /** Resolves when what has begun has ended; messages on their way are sent again after the next start. */
  stop(): Promise<void>;
};

type Step = { readonly position: number | undefined; readonly nextPosition: number } & {
  readonly changes: readonly ComputedChange[];
  readonly inbox: readonly string[];
  readonly isComplete: boolean;
};

/** Undefined when nothing has changed. */
function computeStep(sql: Sql): Step | undefined {
  const position = findPosition(sql);
  if (position === undefined)
    return { position, nextPosition: readCommittedSeq(sql), changes: [], inbox: [], isComplete: false };
  const rows = listEndedRuns(sql, position, runsPerStep);
  const inbox = listInbox(sql, inboxPerStep);
  if (rows.length === 0 && inbox.length === 0) return undefined;
  const others = inbox.map(({ id: key, change }): ComputedChange => {
    // Written by announceChange from a value of the type.
    const parsed: NotificationChange = JSON.parse(change);
    return { key, scenario: undefined, change: parsed };
  });
  return {
    position,
    nextPosition: rows.at(-1)?.seq ?? position,
    changes: [...rows.flatMap((row) => computeChanges(sql, row)), ...others],
    inbox: inbox.map(({ id }) => id),
    isComplete: rows.length < runsPerStep && inbox.length < inboxPerStep,
  };
}

/** Nothing when the position is not the one from which the step was computed. */
function saveStep(sql: Sql, { position, nextPosition, changes, inbox }: Step, nowMs: number): void {
  if (findPosition(sql) !== position) return;
  addDeliveries(sql, changes, nowMs);
  for (const id of inbox) deleteFromInbox(sql, id);
  savePosition(sql, nextPosition);
}

export function startNotifier(context: NotificationContext): Notifier {
  const { database, clock, settings, onError } = context;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sending = new Map<string, Promise<void>>();
  /** Instances whose executor is away, and since when this process knows. */
  const awaySince = new Map<string, number>();
  /** Keys of absences that the channels have. Writing them again would be a commit, and each commit leads here. */
  const savedAbsences = new Set<string>();
  let hasChannels = true;
  let isRunning = false;
  let isAwake = false;
  let current = Promise.resolve();
  let cancelTimer = (): void => {};
  let cancelCollection: (() => void) | undefined;

  async function collect(): Promise<void> {
    for (let isComplete = false; !isComplete && !signal.aborted; ) {
      const step = await database.read(computeStep);
      if (step) await database.write((sql) => saveStep(sql, step, clock.nowMs()));
      isComplete = step === undefined || step.isComplete;
    }
  }

  async function collectAbsences(): Promise<void> {
    const away = await context.listAway();
    for (const instance of [...awaySince.keys()]) if (!away.includes(instance)) awaySince.delete(instance);
    const nowMs = clock.monotonicMs();
    for (const instance of away) if (!awaySince.has(instance)) awaySince.set(instance, nowMs);
    const lost = away.filter((instance) => nowMs - (awaySince.get(instance) ?? nowMs) >= settings.awayAfterMs);
    const changes =
      lost.length === 0
        ? []
        : await database.read((sql) => lost.flatMap((it) => computeAbsence(sql, it, clock.nowMs())));
    for (const key of savedAbsences) if (!changes.some((change) => change.key === key)) savedAbsences.delete(key);
    const unsaved = changes.filter(({ key }) => !savedAbsences.has(key));
    if (unsaved.length === 0) return;
    await database.write((sql) => addDeliveries(sql, unsaved, clock.nowMs()));
    for (const { key } of unsaved) savedAbsences.add(key);
  }

  async function send(channelId: string, message: OutgoingMessage): Promise<void> {
    const channel = (await database.read(listChannels)).find(({ id }) => id === channelId);
    if (!channel) return;
    const outcome = await sendMessage(context, channel, { ...message, address: context.address() }, signal);
    const result = toResult(channel, message, outcome, clock.nowMs(), settings);
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
        await collect();
        await collectAbsences();
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
      savedAbsences.clear();
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
