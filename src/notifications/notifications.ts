/** Channels of notifications and the log of deliveries, as the API has them. */

import type { DeliveryState } from '../contract/notification-names.ts';
import type {
  ChangeChannelRequest,
  ChannelRouting,
  CreateChannelRequest,
  CreateChannelResponse,
  NotificationChange,
  NotificationChannel,
  NotificationDelivery,
} from '../contract/notifications-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../contract/timestamp.ts';
import { vpError } from '../errors/vp-error.ts';
import { readCommittedSeq } from '../store/control/counters.ts';
import {
  type ChannelRow,
  clearInbox,
  deleteChannel,
  findChannel,
  insertChannel,
  listChannels,
  savePosition,
  updateChannel,
} from '../store/control/notifications/channels.ts';
import {
  countDeliveries,
  type DeliveryRow,
  insertLoggedDelivery,
  listDeliveries,
  retryDelivery,
  saveWaitingTime,
  toOrdinal,
} from '../store/control/notifications/deliveries.ts';
import { slicePage } from '../store/page.ts';
import type { Sql } from '../store/sql.ts';
import { describeTarget, parseTarget, sealTarget, unsealTarget } from './channel-target.ts';
import type { NotificationContext } from './context.ts';
import { startNotifier } from './notifier.ts';
import { readChange } from './outbox.ts';
import { assertValidRouting, createUnknownNamesFinder, findSendTime, readRouting } from './routing.ts';
import { sendMessage } from './send-message.ts';

const maxChannels = 100;

export type DeliveryFilter = {
  readonly channel?: string | undefined;
  readonly state?: DeliveryState | undefined;
};
export type DeliveryPage = { readonly items: NotificationDelivery[]; readonly next_cursor: string | null };

type Author = { readonly name: string };

/** Methods with a channel throw NOTIFICATION_CHANNEL_UNKNOWN, those with a definition NOTIFICATION_CHANNEL_INVALID. */
export type NotificationsService = {
  list(): Promise<NotificationChannel[]>;
  /** Throws NOTIFICATION_CHANNEL_TAKEN. */
  create(input: CreateChannelRequest, actor: Author): Promise<CreateChannelResponse>;
  change(channel: string, input: ChangeChannelRequest, actor: Author): Promise<NotificationChannel>;
  remove(channel: string): Promise<void>;
  /** Sends a message now. Throws NOTIFICATION_NOT_SENT. */
  test(channel: string): Promise<void>;
  /** Newest first. Throws CURSOR_INVALID. */
  listDeliveries(
    filter: DeliveryFilter,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<DeliveryPage>;
  /** Sends what was given up again. Throws NOTIFICATION_DELIVERY_UNKNOWN. */
  retry(channel: string, delivery: string): Promise<void>;
};

export type OpenNotifications = NotificationsService & { close(): Promise<void> };

/** Reads once what all channels need. */
function createChannelReader(sql: Sql): (row: ChannelRow) => NotificationChannel {
  const counts = countDeliveries(sql);
  const findUnknownNames = createUnknownNamesFinder(sql);
  return (row) => {
    const routing = readRouting(row);
    const count = (state: string): number =>
      counts.find((entry) => entry.channel_id === row.id && entry.state === state)?.count ?? 0;
    return {
      ...{ channel: row.id, kind: row.kind, destination: row.destination, routing, ...findUnknownNames(routing) },
      ...{ created_at: formatTimestamp(row.created_at_ms), created_by: row.created_by },
      ...{ updated_at: formatTimestamp(row.updated_at_ms), updated_by: row.updated_by },
      ...{ pending: count('pending'), failed: count('failed') },
    };
  };
}

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

function requireChannel(sql: Sql, id: string): ChannelRow {
  const row = findChannel(sql, id);
  if (row) return row;
  throw vpError('NOTIFICATION_CHANNEL_UNKNOWN', { channel: id });
}

function assertChannelFits(sql: Sql, id: string): void {
  if (findChannel(sql, id)) throw vpError('NOTIFICATION_CHANNEL_TAKEN', { channel: id });
  if (listChannels(sql).length < maxChannels) return;
  throw vpError('NOTIFICATION_CHANNEL_INVALID', { member: 'channel', problem: `there are at most ${maxChannels}` });
}

function createTestChange(nowMs: number): NotificationChange {
  const text = 'This channel works. Changes of state will arrive here.';
  const page = { instance: null, path: '/settings/notifications' };
  return { event: 'test', title: 'A test message of vp', text, ...page, at: formatTimestamp(nowMs) };
}

export function openNotifications(context: NotificationContext): OpenNotifications {
  const { database, clock, random, dataKey, allowPrivate } = context;
  const notifier = startNotifier(context);
  const seal = (id: string, target: Parameters<typeof sealTarget>[2]) => sealTarget(dataKey, id, target, random);

  async function create(
    { channel: id, kind, url, email, ...routing }: CreateChannelRequest,
    actor: Author,
  ): Promise<CreateChannelResponse> {
    assertValidRouting(routing);
    const secret = kind === 'webhook' ? Buffer.from(random.bytes(32)).toString('base64') : null;
    const target = parseTarget(kind, { url, email }, secret, allowPrivate);
    const member = kind === 'email' ? 'email' : 'url';
    if (!target) throw vpError('NOTIFICATION_CHANNEL_INVALID', { member, problem: `is needed for ${kind}` });
    const nowMs = clock.nowMs();
    const row: ChannelRow = {
      ...{ id, kind, destination: describeTarget(target), sealed_target: seal(id, target) },
      routing: JSON.stringify(routing),
      ...{ created_at_ms: nowMs, created_by: actor.name, updated_at_ms: nowMs, updated_by: actor.name },
    };
    const channel = await database.write((sql) => {
      assertChannelFits(sql, id);
      if (listChannels(sql).length === 0) {
        // What happened while there was no channel is not sent to the first one.
        savePosition(sql, readCommittedSeq(sql));
        clearInbox(sql);
      }
      insertChannel(sql, row);
      return createChannelReader(sql)(row);
    });
    notifier.wake();
    return secret === null ? { channel } : { channel, secret: `whsec_${secret}` };
  }

  async function change(
    id: string,
    { url, email, ...routing }: ChangeChannelRequest,
    actor: Author,
  ): Promise<NotificationChannel> {
    assertValidRouting(routing);
    const before = await database.read((sql) => requireChannel(sql, id));
    const oldTarget = unsealTarget(dataKey, before);
    const secret = 'url' in oldTarget ? oldTarget.secret : null;
    const target = parseTarget(before.kind, { url, email }, secret, allowPrivate);
    const sealed = target && { destination: describeTarget(target), sealed_target: seal(id, target) };
    const nowMs = clock.nowMs();
    const channel = await database.write((sql) => {
      const row: ChannelRow = {
        ...{ ...requireChannel(sql, id), ...sealed, routing: JSON.stringify(routing) },
        ...{ updated_at_ms: nowMs, updated_by: actor.name },
      };
      updateChannel(sql, row);
      const { atMs, grouped } = findSendTime(routing satisfies ChannelRouting, nowMs);
      saveWaitingTime(sql, id, atMs, grouped ? 1 : 0);
      return createChannelReader(sql)(row);
    });
    notifier.wake();
    return channel;
  }

  async function test(id: string): Promise<void> {
    const row = await database.read((sql) => requireChannel(sql, id));
    const nowMs = clock.nowMs();
    const testChange = createTestChange(nowMs);
    const messageId = `ntf_test_${random.token(12)}`;
    const message = { id: messageId, changes: [testChange], address: context.address() };
    const outcome = await sendMessage(context, row, message, new AbortController().signal);
    const isSent = outcome === undefined || outcome.isAccepted === true;
    const problem = outcome?.problem ?? null;
    await database.write((sql) =>
      insertLoggedDelivery(sql, {
        ...{ id: messageId, channel_id: id, change: JSON.stringify(testChange), message_id: messageId },
        ...{ ordinal: toOrdinal(nowMs), grouped: 0 },
        ...{ state: isSent ? 'sent' : 'dropped', attempts: 1, created_at_ms: nowMs, next_at_ms: null, problem },
        sent_at_ms: isSent ? clock.nowMs() : null,
      }),
    );
    if (problem !== null) throw vpError('NOTIFICATION_NOT_SENT', { channel: id, problem });
  }

  return {
    create,
    change,
    test,
    list: () => database.read((sql) => listChannels(sql).map(createChannelReader(sql))),
    async remove(id) {
      await database.write((sql) => {
        requireChannel(sql, id);
        deleteChannel(sql, id);
      });
      notifier.wake();
    },
    async listDeliveries(filter, { limit, cursor }) {
      const before = parseCursor(cursor);
      const rows = await database.read((sql) => listDeliveries(sql, { ...filter, before, limit: limit + 1 }));
      const { items, last } = slicePage(rows, limit);
      return { items: items.map(toDelivery), next_cursor: last ? toCursor(last) : null };
    },
    async retry(id, delivery) {
      await database.write((sql) => {
        requireChannel(sql, id);
        if (!retryDelivery(sql, id, delivery, clock.nowMs()))
          throw vpError('NOTIFICATION_DELIVERY_UNKNOWN', { channel: id, delivery });
      });
      notifier.wake();
    },
    close: () => notifier.stop(),
  };
}
