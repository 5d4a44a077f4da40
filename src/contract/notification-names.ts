/** The names of notifications, apart from the schemas, which the console does not load. */

export const notificationEvents = ['newly_failing', 'recovered', 'flaky', 'schedule_missed', 'executor_lost'] as const;
export type NotificationEvent = (typeof notificationEvents)[number];

export const channelKinds = ['webhook', 'slack', 'teams', 'email'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** `dropped`: never sent, such as after its channel was removed. */
export const deliveryStates = ['pending', 'sent', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof deliveryStates)[number];
