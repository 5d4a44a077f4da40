import type { NotificationChange } from '../contract/notifications-api.ts';
import { formatTimestamp } from '../contract/timestamp.ts';
import { vpError } from '../errors/vp-error.ts';
import { insertLoggedDelivery, toOrdinal } from '../store/control/notifications/deliveries.ts';
import { requireChannel } from './channel-service.ts';
import type { NotificationContext } from './context.ts';
import { sendMessage } from './send-message.ts';

function createTestChange(nowMs: number): NotificationChange {
  const text = 'This channel works. Changes of state will arrive here.';
  const page = { instance: null, path: '/settings/notifications' };
  return { event: 'test', title: 'A test message of vp', text, ...page, at: formatTimestamp(nowMs) };
}

/** Sends a message to a channel now, and writes it into the log. Throws NOTIFICATION_CHANNEL_UNKNOWN, NOTIFICATION_NOT_SENT. */
export async function sendTestMessage(context: NotificationContext, channel: string): Promise<void> {
  const { database, clock, random } = context;
  const row = await database.read((sql) => requireChannel(sql, channel));
  const nowMs = clock.nowMs();
  const change = createTestChange(nowMs);
  const messageId = `ntf_test_${random.token(12)}`;
  const message = { id: messageId, changes: [change], address: context.address() };
  const outcome = await sendMessage(context, row, message, new AbortController().signal);
  const isSent = outcome === undefined || outcome.isAccepted === true;
  const problem = outcome?.problem ?? null;
  await database.write((sql) =>
    insertLoggedDelivery(sql, {
      ...{ id: messageId, channel_id: channel, change: JSON.stringify(change), message_id: messageId },
      ...{ ordinal: toOrdinal(nowMs), grouped: 0 },
      ...{ state: isSent ? 'sent' : 'dropped', attempts: 1, created_at_ms: nowMs, next_at_ms: null, problem },
      sent_at_ms: isSent ? clock.nowMs() : null,
    }),
  );
  if (problem !== null) throw vpError('NOTIFICATION_NOT_SENT', { channel, problem });
}
