/**
 * The outbox: what a channel is to be sent next, and what became of it.
 *
 * A change and its deliveries are written with the position up to which runs have been looked at, so each change is delivered
 * once. An attempt is noted before it is made: a message whose answer was lost is sent again, with the same id and the same
 * changes, and no other message is.
 */
import { hash } from 'node:crypto';
import type { NotificationChange } from '../contract/notifications-api.ts';
import { type ChannelRow, listChannels } from '../store/control/notifications/channels.ts';
import {
  type DeliveryResult,
  type DeliveryRow,
  insertDelivery,
  listDueDeliveries,
  listMessageDeliveries,
  saveAttempt,
  toOrdinal,
} from '../store/control/notifications/deliveries.ts';
import type { Sql } from '../store/sql.ts';
import { calculateBackoffMs } from '../timing/backoff.ts';
import type { ComputedChange } from './compute-changes.ts';
import type { NotificationSettings } from './context.ts';
import { findSendTime, leaveQuietHours, passesRouting, readRouting } from './routing.ts';
import type { SendProblem } from './send-message.ts';

const maxChangesPerMessage = 50;
/** More changes at one moment than this are one message: a target that is away fails hundreds of scenarios. */
const maxSingleMessages = 5;
/** A change that has waited for quiet hours gets them too. */
const minAttempts = 5;

export function readChange({ change }: Pick<DeliveryRow, 'change'>): NotificationChange {
  // Written by addDeliveries or for a test message, from a value of the type.
  return JSON.parse(change);
}

/** The id of a change: the same in every process, and again after a restore. */
function createChangeId(key: string): string {
  return `ntf_${hash('sha256', key).slice(0, 24)}`;
}

export function addDeliveries(sql: Sql, changes: readonly ComputedChange[], nowMs: number): void {
  if (changes.length === 0) return;
  const channels = listChannels(sql);
  for (const [index, { key, scenario, change }] of changes.entries())
    for (const channel of channels) {
      const routing = readRouting(channel);
      if (!passesRouting(routing, change, scenario)) continue;
      const { atMs, grouped } = findSendTime(routing, nowMs);
      insertDelivery(sql, {
        ...{ id: createChangeId(key), channel_id: channel.id, change: JSON.stringify(change) },
        ...{ ordinal: toOrdinal(nowMs, index), grouped: grouped ? 1 : 0, created_at_ms: nowMs, next_at_ms: atMs },
      });
    }
}

/** `attempt` counts from 1. */
export type OutgoingMessage = {
  readonly id: string;
  readonly changes: readonly NotificationChange[];
  readonly attempt: number;
  readonly createdAtMs: number;
};

function selectRows(sql: Sql, channel: string, nowMs: number): readonly DeliveryRow[] {
  const due = listDueDeliveries(sql, channel, nowMs, maxChangesPerMessage);
  const [first] = due;
  if (!first) return [];
  if (first.message_id !== null) return listMessageDeliveries(sql, channel, first.message_id);
  const fresh = due.filter((row) => row.message_id === null);
  const isGrouped = first.grouped === 1 || fresh.length > maxSingleMessages;
  return isGrouped ? fresh : [first];
}

/** The next message of a channel that is due, with its attempt noted; undefined when none is. */
export function takeNextMessage(
  sql: Sql,
  channel: string,
  nowMs: number,
  { interruptedAfterMs }: NotificationSettings,
): OutgoingMessage | undefined {
  const rows = selectRows(sql, channel, nowMs);
  const [first] = rows;
  if (!first) return undefined;
  const id = first.message_id ?? (rows.length === 1 ? first.id : createChangeId(rows.map((row) => row.id).join(' ')));
  for (const row of rows) saveAttempt(sql, row, id, nowMs + interruptedAfterMs);
  return { id, changes: rows.map(readChange), attempt: first.attempts + 1, createdAtMs: first.created_at_ms };
}

/** Of an attempt; retries wait until quiet hours are over. */
export function toDeliveryResult(
  channel: ChannelRow,
  { attempt, createdAtMs }: OutgoingMessage,
  outcome: SendProblem | undefined,
  nowMs: number,
  { backoff, giveUpAfterMs }: NotificationSettings,
): DeliveryResult {
  const { problem = null, retryAfterMs = 0, isAccepted = false } = outcome ?? { isAccepted: true };
  if (isAccepted) return { state: 'sent', next_at_ms: null, sent_at_ms: nowMs, problem };
  const waitMs = Math.max(retryAfterMs, Math.round(calculateBackoffMs(backoff, attempt - 1)));
  const nextAtMs = leaveQuietHours(readRouting(channel), nowMs + waitMs);
  const isOver = attempt >= minAttempts && nextAtMs - createdAtMs > giveUpAfterMs;
  return { state: isOver ? 'failed' : 'pending', next_at_ms: isOver ? null : nextAtMs, sent_at_ms: null, problem };
}
