/** The channels of notifications: what they are, and how they are created, changed and removed. */

import type { ChannelKind } from '../contract/notification-names.ts';
import type {
  ChangeChannelRequest,
  CreateChannelRequest,
  CreateChannelResponse,
  NotificationChannel,
} from '../contract/notifications-api.ts';
import { formatTimestamp } from '../contract/timestamp.ts';
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
import { countDeliveries, saveWaitingTime } from '../store/control/notifications/deliveries.ts';
import type { Sql } from '../store/sql.ts';
import { describeTarget, parseTarget, sealTarget, type TargetInput, unsealTarget } from './channel-target.ts';
import type { NotificationContext } from './context.ts';
import { assertValidRouting, createUnknownNamesFinder, findSendTime, readRouting } from './routing.ts';

const maxChannels = 100;

export type Author = { readonly name: string };

/** Reads once what the views of all channels need. */
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

/** Throws NOTIFICATION_CHANNEL_UNKNOWN. */
export function requireChannel(sql: Sql, id: string): ChannelRow {
  const row = findChannel(sql, id);
  if (row) return row;
  throw vpError('NOTIFICATION_CHANNEL_UNKNOWN', { channel: id });
}

function assertChannelFits(sql: Sql, id: string): void {
  if (findChannel(sql, id)) throw vpError('NOTIFICATION_CHANNEL_TAKEN', { channel: id });
  if (listChannels(sql).length < maxChannels) return;
  throw vpError('NOTIFICATION_CHANNEL_INVALID', { member: 'channel', problem: `there are at most ${maxChannels}` });
}

/** What happened while there was no channel is not sent to the first one. */
function skipEarlierChanges(sql: Sql): void {
  savePosition(sql, readCommittedSeq(sql));
  clearInbox(sql);
}

/** `onChange` is called after each change, when it is committed. */
export class ChannelService {
  readonly #context: NotificationContext;
  readonly #onChange: () => void;

  constructor(context: NotificationContext, onChange: () => void) {
    this.#context = context;
    this.#onChange = onChange;
  }

  list(): Promise<NotificationChannel[]> {
    return this.#context.database.read((sql) => listChannels(sql).map(createChannelReader(sql)));
  }

  async create(
    { channel: id, kind, url, email, ...routing }: CreateChannelRequest,
    actor: Author,
  ): Promise<CreateChannelResponse> {
    assertValidRouting(routing);
    const { random, clock } = this.#context;
    const secret = kind === 'webhook' ? Buffer.from(random.bytes(32)).toString('base64') : null;
    const target = this.#toTargetColumns(id, kind, { url, email }, secret);
    const member = kind === 'email' ? 'email' : 'url';
    if (!target) throw vpError('NOTIFICATION_CHANNEL_INVALID', { member, problem: `is needed for ${kind}` });
    const nowMs = clock.nowMs();
    const row: ChannelRow = {
      ...{ id, kind, ...target, routing: JSON.stringify(routing) },
      ...{ created_at_ms: nowMs, created_by: actor.name, updated_at_ms: nowMs, updated_by: actor.name },
    };
    const channel = await this.#write((sql) => {
      assertChannelFits(sql, id);
      if (listChannels(sql).length === 0) skipEarlierChanges(sql);
      insertChannel(sql, row);
      return createChannelReader(sql)(row);
    });
    return secret === null ? { channel } : { channel, secret: `whsec_${secret}` };
  }

  /** Without a target in the request, the channel retains the one that it has. */
  async change(
    id: string,
    { url, email, ...routing }: ChangeChannelRequest,
    actor: Author,
  ): Promise<NotificationChannel> {
    assertValidRouting(routing);
    const { database, dataKey, clock } = this.#context;
    const before = await database.read((sql) => requireChannel(sql, id));
    const oldTarget = unsealTarget(dataKey, before);
    const secret = 'url' in oldTarget ? oldTarget.secret : null;
    const target = this.#toTargetColumns(id, before.kind, { url, email }, secret);
    const nowMs = clock.nowMs();
    return this.#write((sql) => {
      const row: ChannelRow = {
        ...{ ...requireChannel(sql, id), ...target, routing: JSON.stringify(routing) },
        ...{ updated_at_ms: nowMs, updated_by: actor.name },
      };
      updateChannel(sql, row);
      const { atMs, grouped } = findSendTime(routing, nowMs);
      saveWaitingTime(sql, id, atMs, grouped ? 1 : 0);
      return createChannelReader(sql)(row);
    });
  }

  async remove(id: string): Promise<void> {
    await this.#write((sql) => {
      requireChannel(sql, id);
      deleteChannel(sql, id);
    });
  }

  /** Undefined when the input names no target. Throws NOTIFICATION_CHANNEL_INVALID. */
  #toTargetColumns(
    id: string,
    kind: ChannelKind,
    input: TargetInput,
    secret: string | null,
  ): Pick<ChannelRow, 'destination' | 'sealed_target'> | undefined {
    const { dataKey, random, allowPrivate } = this.#context;
    const target = parseTarget(kind, input, secret, allowPrivate);
    return target && { destination: describeTarget(target), sealed_target: sealTarget(dataKey, id, target, random) };
  }

  async #write<T>(operation: (sql: Sql) => T): Promise<T> {
    const result = await this.#context.database.write(operation);
    this.#onChange();
    return result;
  }
}
