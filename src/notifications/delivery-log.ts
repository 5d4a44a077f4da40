/** The log of deliveries, newest first, as the API has it. */

import type { DeliveryState } from '../contract/notification-names.ts';
import type { NotificationDelivery } from '../contract/notifications-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../contract/timestamp.ts';
import { vpError } from '../errors/vp-error.ts';
import { type DeliveryRow, listDeliveries, retryDelivery } from '../store/control/notifications/deliveries.ts';
import type { Database } from '../store/database.ts';
import { slicePage } from '../store/page.ts';
import type { Sql } from '../store/sql.ts';
import { requireChannel } from './channel-service.ts';
import { readChange } from './outbox.ts';

export type DeliveryFilter = {
  readonly channel?: string | undefined;
  readonly state?: DeliveryState | undefined;
};
export type DeliveryPageParams = { readonly limit: number; readonly cursor?: string | undefined };
export type DeliveryPage = { readonly items: NotificationDelivery[]; readonly next_cursor: string | null };

function toDelivery(row: DeliveryRow): NotificationDelivery {
  const { event, title, instance, run_id: run = null } = readChange(row);
  return {
    ...{ id: row.id, channel: row.channel_id, event, title, instance, run_id: run, state: row.state },
    ...{ message_id: row.message_id, attempts: row.attempts },
    created_at: formatTimestamp(row.created_at_ms),
    sent_at: formatTimestampOrNull(row.sent_at_ms),
    next_attempt_at: formatTimestampOrNull(row.next_at_ms),
    problem: row.problem,
  };
}

function toCursor({ ordinal, id, channel_id: channel }: DeliveryRow): string {
  return `${ordinal}.${id}.${channel}`;
}

function parseCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const [, ordinal, id, channel] = /^(\d{1,16})\.([\w]+)\.([a-z0-9-]+)$/.exec(cursor) ?? [];
  if (ordinal === undefined || id === undefined || channel === undefined) throw vpError('CURSOR_INVALID', {});
  return { ordinal: Number(ordinal), id, channel };
}

/** Throws CURSOR_INVALID. */
export async function readDeliveryPage(
  database: Pick<Database, 'read'>,
  filter: DeliveryFilter,
  { limit, cursor }: DeliveryPageParams,
): Promise<DeliveryPage> {
  const before = parseCursor(cursor);
  const rows = await database.read((sql) => listDeliveries(sql, { ...filter, before, limit: limit + 1 }));
  const { items, last } = slicePage(rows, limit);
  return { items: items.map(toDelivery), next_cursor: last ? toCursor(last) : null };
}

/** Makes a delivery due that was given up. Throws NOTIFICATION_CHANNEL_UNKNOWN, NOTIFICATION_DELIVERY_UNKNOWN. */
export function retryLoggedDelivery(sql: Sql, channel: string, delivery: string, nowMs: number): void {
  requireChannel(sql, channel);
  if (!retryDelivery(sql, channel, delivery, nowMs))
    throw vpError('NOTIFICATION_DELIVERY_UNKNOWN', { channel, delivery });
}
