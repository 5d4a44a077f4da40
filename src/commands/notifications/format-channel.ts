/** Channels and deliveries as text. */
import type { ChannelRouting, NotificationChannel, NotificationDelivery } from '../../contract/notifications-api.ts';
import { formatUnknownNames } from '../../contract/unknown-names-text.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import type { TableColumn } from '../../terminal/table.ts';

/** `newly failing, recovered of shop, tag smoke`. */
function formatRouting({
  events,
  instances,
  tags,
  owners,
  digest_minutes: digest,
  quiet_hours: quiet,
}: ChannelRouting): string {
  const changes = events === undefined ? 'every change' : events.map((event) => event.replaceAll('_', ' ')).join(', ');
  return [
    `${changes}${instances === undefined ? '' : ` of ${instances.join(', ')}`}`,
    ...(tags === undefined ? [] : [`tag ${tags.join(' or ')}`]),
    ...(owners === undefined ? [] : [`owner ${owners.join(' or ')}`]),
    ...(digest === undefined ? [] : [`digest of ${digest} min`]),
    ...(quiet === undefined ? [] : [`quiet ${quiet.from}-${quiet.to} ${quiet.time_zone}`]),
  ].join('; ');
}

function formatState(channel: NotificationChannel): string {
  const { pending, failed } = channel;
  const parts = [...(pending > 0 ? [`${pending} waiting`] : []), ...(failed > 0 ? [`${failed} given up`] : [])];
  const unknown = formatUnknownNames(channel);
  return [parts.join(', ') || 'nothing waits', ...(unknown === '' ? [] : [unknown])].join('; ');
}

/** A channel that was added or changed, with `details` below it. */
export function formatChannel(channel: NotificationChannel, details = ''): string {
  const { channel: id, routing, destination } = channel;
  const unknown = formatUnknownNames(channel);
  const warning = unknown === '' ? '' : `  ! there is ${unknown}\n`;
  return `channel ${id}: ${formatRouting(routing)} to ${destination}\n${details}${warning}`;
}

export const channelColumns: readonly TableColumn<NotificationChannel>[] = [
  { title: 'CHANNEL', text: ({ channel }) => channel },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'TO', text: ({ destination }) => destination, minWidth: 12 },
  { title: 'GETS', text: ({ routing }) => formatRouting(routing), minWidth: 12 },
  { title: 'STATE', text: formatState, minWidth: 12 },
];

function formatDeliveryState({ state, problem, attempts }: NotificationDelivery): string {
  const text = state === 'failed' ? 'given up' : state === 'pending' ? 'waiting' : state;
  if (problem === null) return text;
  return `${text} (${attempts === 1 ? 'one attempt' : `${attempts} attempts`}: ${escapeUnsafeLine(problem)})`;
}

export function buildDeliveryColumns(nowMs: number): TableColumn<NotificationDelivery>[] {
  return [
    { title: 'WHEN', text: ({ created_at: at }) => formatRelativeTime(at, nowMs) },
    { title: 'CHANNEL', text: ({ channel }) => channel },
    { title: 'CHANGE', text: ({ title }) => title, minWidth: 16 },
    { title: 'STATE', text: formatDeliveryState, minWidth: 12 },
    { title: 'ID', text: ({ id }) => id },
  ];
}
