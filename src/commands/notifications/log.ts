import type { NotificationsClient } from '../../client/notifications.ts';
import { readPages } from '../../client/transport/pages.ts';
import { command } from '../../command-line/command.ts';
import { deliveryStates } from '../../contract/notification-names.ts';
import type { NotificationDelivery } from '../../contract/notifications-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { buildDeliveryColumns } from './format-channel.ts';

const logFlags = {
  state: {
    type: 'string',
    placeholder: '<state>',
    choices: deliveryStates,
    describe: 'pending: it waits; failed: it was given up; dropped: never sent, such as after its channel was removed',
  },
  limit: {
    type: 'number',
    placeholder: '<n>',
    default: 50,
    integerRange: [1, 1000],
    describe: 'maximum number of results',
  },
  ...controlPlaneFlags,
} as const;

/** `vp notifications log`. */
export const notificationsLogCommand = command({
  name: 'notifications log',
  summary: 'list what was sent, what waits and what was given up',
  positionals: [{ name: 'channel', describe: 'only of this channel', required: false, kind: 'channel' }],
  flags: logFlags,
  examples: [
    ['vp notifications log', 'newest first'],
    ['vp notifications log team --state failed', '`vp notifications retry team <id>` sends it again'],
  ],
  notes: 'With --json: {"deliveries": […]}.',
  async run({ flags: { state, limit, ...flags }, args: [channel], json, environment }) {
    const { stdout } = environment.streams;
    const { notifications } = await openClient(flags, environment);
    const filter = { channel, state: deliveryStates.find((name) => name === state) };
    const { items: deliveries } = await readPages<NotificationDelivery>(
      (page) => notifications.listDeliveries({ ...filter, ...page }),
      limit,
    );
    const columns = buildDeliveryColumns(environment.clock.nowMs());
    const table = formatTable(deliveries, columns, stdout, paintFor(stdout, environment.variables));
    if (deliveries.length === 0 && channel !== undefined) await assertChannelKnown(notifications, channel);
    const text = table || `${formatNoDeliveries(channel, state)}; \`vp notifications list\` shows the channels\n`;
    stdout.write(json ? `${JSON.stringify({ deliveries }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

/** A removed channel is known as long as it has a log. Throws NOTIFICATION_CHANNEL_UNKNOWN. */
async function assertChannelKnown(notifications: NotificationsClient, id: string): Promise<void> {
  const [channels, logged] = await Promise.all([
    notifications.list(),
    notifications.listDeliveries({ channel: id, limit: 1 }),
  ]);
  if (logged.items.length === 0 && !channels.some(({ channel }) => channel === id))
    throw vpError('NOTIFICATION_CHANNEL_UNKNOWN', { channel: id });
}

/** Names the filters, so that they do not pass for an empty log. */
function formatNoDeliveries(channel: string | undefined, state: string | undefined): string {
  if (channel === undefined && state === undefined) return 'nothing was sent';
  const to = channel === undefined ? '' : ` to ${channel}`;
  return `no deliveries${to}${state === undefined ? '' : ` in the state ${state}`}`;
}
