/** The outbox of notifications: changes that are to be sent, those that were, and those that could not be. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import { createRowInserter, formatColumns } from '../../row-writer.ts';
import type { Sql } from '../../sql.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const nullableText = Type.Union([Type.String(), Type.Null()]);
const State = Type.Union((['pending', 'sent', 'failed', 'dropped'] as const).map((state) => Type.Literal(state)));

const DeliveryShape = Type.Object({
  id: Type.String(),
  channel_id: Type.String(),
  change: Type.String(),
  state: State,
  ordinal: Type.Integer(),
  grouped: Type.Integer(),
  message_id: nullableText,
  attempts: Type.Integer(),
  created_at_ms: Type.Integer(),
  next_at_ms: nullableInteger,
  sent_at_ms: nullableInteger,
  problem: nullableText,
});
/** `change` is JSON. */
export type DeliveryRow = Static<typeof DeliveryShape>;

const reader = createRowReader(DeliveryShape);
const select = `SELECT ${formatColumns(DeliveryShape)} FROM notification_deliveries`;

/** Of a change that was noticed at a moment, as one of several. */
export function toOrdinal(nowMs: number, index = 0): number {
  return nowMs * 1000 + Math.min(index, 999);
}

export type NewDelivery = Pick<
  DeliveryRow,
  'id' | 'channel_id' | 'change' | 'ordinal' | 'grouped' | 'created_at_ms'
> & {
  readonly next_at_ms: number;
};

/** A change that the channel has already is not added again. */
export function insertDelivery(sql: Sql, row: NewDelivery): void {
  sql.execute(
    `INSERT INTO notification_deliveries (id, channel_id, change, state, ordinal, grouped, attempts,
         created_at_ms, next_at_ms) VALUES (?, ?, ?, 'pending', ?, ?, 0, ?, ?) ON CONFLICT (id, channel_id) DO NOTHING`,
    ...[row.id, row.channel_id, row.change, row.ordinal, row.grouped, row.created_at_ms, row.next_at_ms],
  );
}

/** A message that was sent at once, for the log. */
export const insertLoggedDelivery = createRowInserter('notification_deliveries', DeliveryShape);

/** Those of a channel that are due, oldest first. */
export function listDueDeliveries(sql: Sql, channel: string, nowMs: number, limit: number): DeliveryRow[] {
  const statement = `${select} WHERE channel_id = ? AND state = 'pending' AND next_at_ms <= ?
    ORDER BY next_at_ms, ordinal, id LIMIT ?`;
  return reader.all(sql, statement, channel, nowMs, limit);
}

/** The changes of a message that was attempted before. */
export function listMessageDeliveries(sql: Sql, channel: string, message: string): DeliveryRow[] {
  const statement = `${select} WHERE channel_id = ? AND state = 'pending' AND message_id = ? ORDER BY ordinal, id`;
  return reader.all(sql, statement, channel, message);
}

/** Before it is sent: when this process ends, it is tried again at `nextAtMs`, with the same id. */
export function saveAttempt(
  sql: Sql,
  { id, channel_id: channel }: DeliveryRow,
  message: string,
  nextAtMs: number,
): void {
  sql.execute(
    `UPDATE notification_deliveries SET message_id = ?, attempts = attempts + 1, next_at_ms = ?
       WHERE id = ? AND channel_id = ?`,
    ...[message, nextAtMs, id, channel],
  );
}

export type DeliveryResult = Pick<DeliveryRow, 'state' | 'next_at_ms' | 'sent_at_ms' | 'problem'>;

/** Only where the message still waits. */
export function saveMessageResult(sql: Sql, channel: string, message: string, result: DeliveryResult): void {
  sql.execute(
    `UPDATE notification_deliveries SET state = ?, next_at_ms = ?, sent_at_ms = ?, problem = ?
       WHERE channel_id = ? AND message_id = ? AND state = 'pending'`,
    ...[result.state, result.next_at_ms, result.sent_at_ms, result.problem, channel, message],
  );
}

/** Of changes that no message has yet: the times of their channel were changed. */
export function saveWaitingTime(sql: Sql, channel: string, nextAtMs: number, grouped: number): void {
  sql.execute(
    `UPDATE notification_deliveries SET next_at_ms = ?, grouped = ?
       WHERE channel_id = ? AND state = 'pending' AND message_id IS NULL`,
    ...[nextAtMs, grouped, channel],
  );
}

/** Sends a message that was given up again, with the same id; false when there is none. */
export function retryDelivery(sql: Sql, channel: string, id: string, nowMs: number): boolean {
  const given = `SELECT coalesce(message_id, '') FROM notification_deliveries WHERE channel_id = ? AND id = ?`;
  return (
    sql.run(
      `UPDATE notification_deliveries SET state = 'pending', next_at_ms = ?, created_at_ms = ?, problem = NULL
         WHERE channel_id = ? AND state = 'failed' AND message_id = (${given})`,
      ...[nowMs, nowMs, channel, channel, id],
    ) > 0
  );
}

const dueReader = createRowReader(Type.Object({ next_at_ms: nullableInteger }));

/** When the next delivery of a channel is due; undefined when none waits. */
export function findNextDeliveryMs(sql: Sql, channel: string): number | undefined {
  const statement =
    "SELECT min(next_at_ms) AS next_at_ms FROM notification_deliveries WHERE channel_id = ? AND state = 'pending'";
  return dueReader.first(sql, statement, channel)?.next_at_ms ?? undefined;
}

const countReader = createRowReader(Type.Object({ channel_id: Type.String(), state: State, count: Type.Integer() }));
export type DeliveryCount = ReturnType<typeof countReader.all>[number];

/** Those that wait and those that were given up. */
export function countDeliveries(sql: Sql): DeliveryCount[] {
  const count = (state: 'pending' | 'failed') =>
    countReader.all(
      sql,
      `SELECT channel_id, state, count(*) AS count FROM notification_deliveries
         WHERE state = '${state}' GROUP BY channel_id, state`,
    );
  return [...count('pending'), ...count('failed')];
}

export type DeliveryQuery = {
  readonly channel?: string | undefined;
  readonly state?: DeliveryRow['state'] | undefined;
  /** Where an earlier page ended. */
  readonly before?: { readonly ordinal: number; readonly id: string; readonly channel: string } | undefined;
  readonly limit: number;
};

/** Newest first. */
export function listDeliveries(sql: Sql, { channel, state, before, limit }: DeliveryQuery): DeliveryRow[] {
  const conditions: (readonly [text: string, values: readonly (string | number)[]])[] = [];
  if (channel !== undefined) conditions.push(['channel_id = ?', [channel]]);
  if (state !== undefined) conditions.push([`state = '${state}'`, []]);
  if (before)
    conditions.push([
      '(ordinal < ? OR (ordinal = ? AND (id > ? OR (id = ? AND channel_id > ?))))',
      [before.ordinal, before.ordinal, before.id, before.id, before.channel],
    ]);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([text]) => text).join(' AND ')}`;
  const statement = `${select} ${where} ORDER BY ordinal DESC, id, channel_id LIMIT ?`;
  return reader.all(sql, statement, ...conditions.flatMap(([, values]) => values), limit);
}

/** Deletes up to 2,000 deliveries that are over; returns how many. */
export function expireDeliveries(sql: Sql, beforeMs: number): number {
  const statement = `DELETE FROM notification_deliveries WHERE (id, channel_id) IN
    (SELECT id, channel_id FROM notification_deliveries WHERE ordinal < ? AND state <> 'pending'
     ORDER BY ordinal LIMIT 2000)`;
  return sql.run(statement, toOrdinal(beforeMs));
}
