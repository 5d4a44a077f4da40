import type { DeliveryState } from '../contract/notification-names.ts';
import type {
  ChangeChannelRequest,
  CreateChannelRequest,
  CreateChannelResponse,
  NotificationChannel,
  NotificationDelivery,
  TestChannelResponse,
} from '../contract/notifications-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

export type DeliveryListQuery = {
  readonly channel?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
};
export type DeliveryListPage = { readonly items: readonly NotificationDelivery[]; readonly next_cursor: string | null };

export type NotificationsClient = {
  list(options?: CallOptions): Promise<readonly NotificationChannel[]>;
  create(input: CreateChannelRequest): Promise<CreateChannelResponse>;
  change(channel: string, input: ChangeChannelRequest): Promise<NotificationChannel>;
  remove(channel: string): Promise<void>;
  /** Resolves when the receiver has accepted the message. */
  test(channel: string): Promise<void>;
  listDeliveries(query: DeliveryListQuery, options?: CallOptions): Promise<DeliveryListPage>;
  retry(channel: string, delivery: string): Promise<void>;
};

export function createNotificationsClient({ json, noContent }: Transport): NotificationsClient {
  const path = (...rest: string[]) => apiPath('notifications', ...rest);
  return {
    async list(options) {
      const call = { method: 'GET', path: path('channels'), ...options } as const;
      return (await json(call, createPageTypeGuard<NotificationChannel>())).items;
    },
    create: (body) =>
      json({ method: 'POST', path: path('channels'), body }, createObjectGuard<CreateChannelResponse>('channel')),
    change: (channel, body) =>
      json(
        { method: 'PUT', path: path('channels', channel), body },
        createObjectGuard<NotificationChannel>('channel', 'routing'),
      ),
    remove: (channel) => noContent({ method: 'DELETE', path: path('channels', channel) }),
    async test(channel) {
      const call = { method: 'POST', path: path('channels', channel, 'test') } as const;
      await json(call, createObjectGuard<TestChannelResponse>('sent'));
    },
    listDeliveries: (query, options) =>
      json({ method: 'GET', path: path('deliveries'), query, ...options }, createPageTypeGuard<NotificationDelivery>()),
    retry: (channel, delivery) =>
      noContent({ method: 'POST', path: path('channels', channel, 'deliveries', delivery, 'retry') }),
  };
}
