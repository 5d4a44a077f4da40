import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import {
  ChangeChannelRequest,
  CreateChannelRequest,
  CreateChannelResponse,
  DeliveryStateSchema,
  NotificationChannel,
  NotificationDelivery,
  TestChannelResponse,
} from '../../contract/notifications-api.ts';
import { PageParameters, PathName, toPageQuery } from '../request-schemas.ts';
import { route, type ServerRoute, toActor, toSinglePage } from '../route.ts';

const channelsPath = '/api/v1/notifications/channels';
const ChannelPath = Type.Object({ channel: PathName });

export const notificationRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: channelsPath,
    operation: 'listNotificationChannels',
    summary: 'Who is notified of changes of state; without addresses that may be secret',
    action: 'notification.read',
    response: pageSchema(NotificationChannel),
    handler: async ({ services: { notifications } }) => toSinglePage(await notifications.list()),
  }),
  route({
    method: 'POST',
    path: channelsPath,
    operation: 'createNotificationChannel',
    summary: 'Create a channel; the secret that signs the messages of a webhook is in this response only',
    action: 'notification.change',
    body: CreateChannelRequest,
    response: CreateChannelResponse,
    status: 201,
    handler: ({ services: { notifications }, body, caller }) => notifications.create(body, toActor(caller)),
  }),
  route({
    method: 'PUT',
    path: `${channelsPath}/{channel}`,
    operation: 'changeNotificationChannel',
    summary: 'Replace what a channel gets, and when; its address stays unless the body has another',
    action: 'notification.change',
    params: ChannelPath,
    body: ChangeChannelRequest,
    response: NotificationChannel,
    handler: ({ services: { notifications }, params, body, caller }) =>
      notifications.change(params.channel, body, toActor(caller)),
  }),
  route({
    method: 'DELETE',
    path: `${channelsPath}/{channel}`,
    operation: 'removeNotificationChannel',
    summary: 'Remove a channel; changes that wait for it are not sent, and its log stays',
    action: 'notification.change',
    params: ChannelPath,
    handler: ({ services: { notifications }, params }) => notifications.remove(params.channel),
  }),
  route({
    method: 'POST',
    path: `${channelsPath}/{channel}/test`,
    operation: 'testNotificationChannel',
    summary: 'Send a test message now; succeeds when the receiver has accepted it',
    action: 'notification.change',
    params: ChannelPath,
    response: TestChannelResponse,
    async handler({ services: { notifications }, params }) {
      await notifications.test(params.channel);
      return { sent: true as const };
    },
  }),
  route({
    method: 'POST',
    path: `${channelsPath}/{channel}/deliveries/{delivery}/retry`,
    operation: 'retryNotificationDelivery',
    summary: 'Send a message that was given up again, with the same id',
    action: 'notification.change',
    params: Type.Object({ channel: PathName, delivery: PathName }),
    handler: ({ services: { notifications }, params }) => notifications.retry(params.channel, params.delivery),
  }),
  route({
    method: 'GET',
    path: '/api/v1/notifications/deliveries',
    operation: 'listNotificationDeliveries',
    summary: 'What was sent, what waits and what was given up, newest first',
    action: 'notification.read',
    query: Type.Object({
      ...PageParameters.properties,
      channel: Type.Optional(PathName),
      state: Type.Optional(DeliveryStateSchema),
    }),
    response: pageSchema(NotificationDelivery),
    handler: ({ services: { notifications }, query: { channel, state, ...page } }) =>
      notifications.listDeliveries({ channel, state }, toPageQuery(page)),
  }),
];
