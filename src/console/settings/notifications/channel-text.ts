/** Channels and deliveries as text. */
import type { ChannelKind, DeliveryState, NotificationEvent } from '../../../contract/notification-names.ts';
import type { ChannelRouting, NotificationDelivery } from '../../../contract/notifications-api.ts';

export const kindOptions: readonly (readonly [ChannelKind, string])[] = [
  ['slack', 'Slack'],
  ['teams', 'Microsoft Teams'],
  ['email', 'Email'],
  ['webhook', 'Webhook'],
];

export const eventLabels: Readonly<Record<NotificationEvent, string>> = {
  newly_failing: 'newly failing',
  recovered: 'recovered',
  flaky: 'flaky',
  schedule_missed: 'schedule missed',
  executor_lost: 'executor lost',
};

export const deliveryStateLabels: Readonly<Record<DeliveryState, string>> = {
  pending: 'waiting',
  sent: 'sent',
  failed: 'given up',
  dropped: 'not sent',
};

export function formatKind(kind: ChannelKind): string {
  return kindOptions.find(([name]) => name === kind)?.[1] ?? kind;
}

export function formatRouting({ events, instances, tags, owners }: ChannelRouting): string {
  const changes = events === undefined ? 'every change' : events.map((event) => eventLabels[event]).join(', ');
  const of = instances === undefined ? '' : ` of ${instances.join(', ')}`;
  const tagged = tags === undefined ? '' : `, tag ${tags.join(' or ')}`;
  return `${changes}${of}${tagged}${owners === undefined ? '' : `, owner ${owners.join(' or ')}`}`;
}

/** When its changes are sent. */
export function formatTimes({ digest_minutes: digest, quiet_hours: quiet }: ChannelRouting): string {
  const often = digest === undefined ? 'at once' : `every ${digest} minutes`;
  return quiet === undefined ? often : `${often}, quiet ${quiet.from}–${quiet.to} ${quiet.time_zone}`;
}

export function formatProblem({ problem, attempts }: Pick<NotificationDelivery, 'problem' | 'attempts'>): string {
  if (problem === null) return '';
  return attempts === 1 ? problem : `${problem}; ${attempts} attempts`;
}
