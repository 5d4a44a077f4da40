/** Channels of notifications and the log of deliveries, as the API has them. */

import type {
  ChangeChannelRequest,
  CreateChannelRequest,
  CreateChannelResponse,
  NotificationChannel,
} from '../contract/notifications-api.ts';
import { type Author, ChannelService } from './channel-service.ts';
import type { NotificationContext } from './context.ts';
import {
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryPageParams,
  readDeliveryPage,
  retryLoggedDelivery,
} from './delivery-log.ts';
import { startNotifier } from './notifier.ts';
import { sendTestMessage } from './send-test-message.ts';

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
  listDeliveries(filter: DeliveryFilter, page: DeliveryPageParams): Promise<DeliveryPage>;
  /** Sends what was given up again. Throws NOTIFICATION_DELIVERY_UNKNOWN. */
  retry(channel: string, delivery: string): Promise<void>;
};

export type OpenNotifications = NotificationsService & { close(): Promise<void> };

export function openNotifications(context: NotificationContext): OpenNotifications {
  const { database, clock } = context;
  const notifier = startNotifier(context);
  const channels = new ChannelService(context, () => notifier.wake());
  return {
    list: () => channels.list(),
    create: (input, actor) => channels.create(input, actor),
    change: (channel, input, actor) => channels.change(channel, input, actor),
    remove: (channel) => channels.remove(channel),
    test: (channel) => sendTestMessage(context, channel),
    listDeliveries: (filter, page) => readDeliveryPage(database, filter, page),
    async retry(channel, delivery) {
      await database.write((sql) => retryLoggedDelivery(sql, channel, delivery, clock.nowMs()));
      notifier.wake();
    },
    close: () => notifier.stop(),
  };
}
