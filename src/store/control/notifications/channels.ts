/** Channels of notifications, and the position up to which changes were computed. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import { createRowInserter, formatColumns } from '../../row-writer.ts';
import type { Sql } from '../../sql.ts';

const ChannelShape = Type.Object({
  id: Type.String(),
  kind: Type.Union((['webhook', 'slack', 'teams', 'email'] as const).map((kind) => Type.Literal(kind))),
  destination: Type.String(),
  sealed_target: Type.Uint8Array(),
  routing: Type.String(),
  created_at_ms: Type.Integer(),
  created_by: Type.String(),
  updated_at_ms: Type.Integer(),
  updated_by: Type.String(),
});
/** `sealed_target` has the address and its secrets as JSON; `routing` is JSON. */
export type ChannelRow = Static<typeof ChannelShape>;

const reader = createRowReader(ChannelShape);
const select = `SELECT ${formatColumns(ChannelShape)} FROM notification_channels`;

export function listChannels(sql: Sql): ChannelRow[] {
  return reader.all(sql, `${select} ORDER BY id`);
}

export function findChannel(sql: Sql, id: string): ChannelRow | undefined {
  return reader.first(sql, `${select} WHERE id = ?`, id);
}

export const insertChannel = createRowInserter('notification_channels', ChannelShape);

export function updateChannel(sql: Sql, row: ChannelRow): void {
  sql.execute(
    `UPDATE notification_channels SET destination = ?, sealed_target = ?, routing = ?, updated_at_ms = ?, updated_by = ?
       WHERE id = ?`,
    ...[row.destination, row.sealed_target, row.routing, row.updated_at_ms, row.updated_by, row.id],
  );
}

/** Changes that wait for it, and those that were given up, are never sent: not to another channel of the same name either. */
export function deleteChannel(sql: Sql, id: string): void {
  for (const state of ['pending', 'failed'])
    sql.execute(
      `UPDATE notification_deliveries SET state = 'dropped', next_at_ms = NULL WHERE channel_id = ? AND state = '${state}'`,
      id,
    );
  sql.execute('DELETE FROM notification_channels WHERE id = ?', id);
}

const positionReader = createRowReader(Type.Object({ seq: Type.Integer() }));

/** Undefined where changes are to be computed from the present on. */
export function findPosition(sql: Sql): number | undefined {
  return positionReader.first(sql, 'SELECT seq FROM notification_position WHERE id = 1')?.seq;
}

export function savePosition(sql: Sql, seq: number): void {
  const statement =
    'INSERT INTO notification_position (id, seq) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET seq = excluded.seq';
  sql.execute(statement, seq);
}

const inboxReader = createRowReader(Type.Object({ id: Type.String(), change: Type.String() }));

/** Records a change in the transaction in which it happens; without a channel, nothing. `change` is JSON. */
export function insertIntoInbox(sql: Sql, id: string, change: string): void {
  sql.execute(
    `INSERT INTO notification_inbox (id, change) SELECT CAST(? AS TEXT), CAST(? AS TEXT)
       WHERE EXISTS (SELECT 1 FROM notification_channels) ON CONFLICT (id) DO NOTHING`,
    ...[id, change],
  );
}

export function listInbox(sql: Sql, limit: number): { id: string; change: string }[] {
  return inboxReader.all(sql, 'SELECT id, change FROM notification_inbox ORDER BY id LIMIT ?', limit);
}

export function deleteFromInbox(sql: Sql, id: string): void {
  sql.execute('DELETE FROM notification_inbox WHERE id = ?', id);
}

export function clearInbox(sql: Sql): void {
  sql.execute('DELETE FROM notification_inbox');
}
