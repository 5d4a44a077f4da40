/** Who is notified of changes of state, and what was sent: /api/v1/notifications. */
import { type Static, Type } from '@sinclair/typebox';
import { channelKinds, deliveryStates, notificationEvents } from './notification-names.ts';
import { InstanceId, nullable, RunIdSchema, Timestamp } from './schemas.ts';

const NotificationEventSchema = Type.Union(notificationEvents.map((event) => Type.Literal(event)));

const ChannelKindSchema = Type.Union(channelKinds.map((kind) => Type.Literal(kind)));

export const ChannelId = Type.String({ pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', minLength: 1, maxLength: 60 });
const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });

/** From one time of the day to another in a time zone; `to` may be on the next day. */
export const QuietHours = Type.Object(
  { from: TimeOfDay, to: TimeOfDay, time_zone: Type.String({ minLength: 1, maxLength: 60 }) },
  { additionalProperties: false },
);
export type QuietHours = Static<typeof QuietHours>;

/** A condition that is absent lets everything pass. */
const routingMembers = {
  events: Type.Optional(Type.Array(NotificationEventSchema, { minItems: 1, maxItems: 10 })),
  instances: Type.Optional(Type.Array(InstanceId, { minItems: 1, maxItems: 100 })),
  /** Scenarios with one of these tags; changes that are not about a scenario pass. */
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 50 })),
  /** Scenarios with one of these owners; changes that are not about a scenario pass. */
  owners: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 50 })),
  /** Changes are collected for this long, and sent as one message. */
  digest_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1440 })),
  /** Changes in this time are sent at its end, as one message. */
  quiet_hours: Type.Optional(QuietHours),
};
export const ChannelRouting = Type.Object(routingMembers, { additionalProperties: false });
export type ChannelRouting = Static<typeof ChannelRouting>;

const MailAddress = Type.String({ pattern: '^[^\\s@<>,;"]+@[^\\s@<>,;"]+$', maxLength: 254 });

/** `tls` from the first byte, `starttls` before anything is said, or `none`, which only private servers may have. */
export const MailTarget = Type.Object(
  {
    server: Type.String({ pattern: '^[A-Za-z0-9.:_-]+$', minLength: 1, maxLength: 255 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    security: Type.Union([Type.Literal('tls'), Type.Literal('starttls'), Type.Literal('none')]),
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    from: MailAddress,
    to: Type.Array(MailAddress, { minItems: 1, maxItems: 50 }),
  },
  { additionalProperties: false },
);
export type MailTarget = Static<typeof MailTarget>;

/** `email` for the kind `email`, `url` for the others. */
const targetMembers = {
  url: Type.Optional(Type.String({ minLength: 8, maxLength: 2000 })),
  email: Type.Optional(MailTarget),
};

export const CreateChannelRequest = Type.Object(
  { channel: ChannelId, kind: ChannelKindSchema, ...targetMembers, ...routingMembers },
  { additionalProperties: false },
);
export type CreateChannelRequest = Static<typeof CreateChannelRequest>;

/** Replaces the routing; the target stays unless it is given. */
export const ChangeChannelRequest = Type.Object(
  { ...targetMembers, ...routingMembers },
  { additionalProperties: false },
);
export type ChangeChannelRequest = Static<typeof ChangeChannelRequest>;

/** `destination` lacks what may be secret: the path and the query of a URL, and the password of a mail server. */
export const NotificationChannel = Type.Object({
  channel: ChannelId,
  kind: ChannelKindSchema,
  destination: Type.String(),
  routing: ChannelRouting,
  /** Names in the routing that nothing has now: nothing is sent because of them. */
  unknown_instances: Type.Array(InstanceId),
  unknown_tags: Type.Array(Type.String()),
  unknown_owners: Type.Array(Type.String()),
  created_at: Timestamp,
  created_by: Type.String(),
  updated_at: Timestamp,
  updated_by: Type.String(),
  /** Changes that wait, and those that were given up. */
  pending: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
});
export type NotificationChannel = Static<typeof NotificationChannel>;

/** `secret` signs the messages of a webhook; it is returned only here. */
export const CreateChannelResponse = Type.Object({
  channel: NotificationChannel,
  secret: Type.Optional(Type.String()),
});
export type CreateChannelResponse = Static<typeof CreateChannelResponse>;

export const DeliveryStateSchema = Type.Union(deliveryStates.map((state) => Type.Literal(state)));

export const NotificationDelivery = Type.Object({
  /** Of the change: the same in every channel. */
  id: Type.String(),
  channel: Type.String(),
  event: Type.Union([NotificationEventSchema, Type.Literal('test')]),
  title: Type.String(),
  instance: nullable(Type.String()),
  run_id: nullable(RunIdSchema),
  state: DeliveryStateSchema,
  /** The id that the receiver got, the same in every attempt; several changes of one message share it. */
  message_id: nullable(Type.String()),
  attempts: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  sent_at: nullable(Timestamp),
  next_attempt_at: nullable(Timestamp),
  problem: nullable(Type.String()),
});
export type NotificationDelivery = Static<typeof NotificationDelivery>;

/** The receiver has accepted the message. */
export const TestChannelResponse = Type.Object({ sent: Type.Literal(true) });
export type TestChannelResponse = Static<typeof TestChannelResponse>;

/** A change of state, as it is stored and sent. `path` is of the console. */
export const NotificationChange = Type.Object({
  event: Type.Union([NotificationEventSchema, Type.Literal('test')]),
  title: Type.String(),
  text: Type.String(),
  instance: nullable(Type.String()),
  scenario_id: Type.Optional(Type.String()),
  /** The owner that the scenario names, as it ran. */
  owner: Type.Optional(Type.String()),
  run_id: Type.Optional(Type.String()),
  schedule_id: Type.Optional(Type.String()),
  target_version: Type.Optional(Type.String()),
  path: Type.String(),
  at: Type.String(),
});
export type NotificationChange = Static<typeof NotificationChange>;
