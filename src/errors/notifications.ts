/** Errors of notifications. */
import { conflict, invalid, notFound, peerFailure } from './row.ts';

export const notificationErrors = {
  NOTIFICATION_CHANNEL_UNKNOWN: notFound('there is no channel {{channel}}', 'see `vp notifications list`'),
  NOTIFICATION_CHANNEL_TAKEN: conflict(
    'there already is a channel {{channel}}',
    'choose another name, or change it with `vp notifications edit {{channel}}`',
  ),
  NOTIFICATION_CHANNEL_INVALID: invalid(
    'the channel is invalid: {{member}}: {{problem}}',
    'correct it; see `vp docs notifications`',
  ),
  NOTIFICATION_DELIVERY_UNKNOWN: notFound(
    'channel {{channel}} has no delivery {{delivery}} that was given up',
    'see `vp notifications log {{channel}} --state failed`',
  ),
  NOTIFICATION_NOT_SENT: peerFailure(
    'channel {{channel}} did not accept the message: {{problem}}',
    'correct the address or the receiver, then try again with `vp notifications test {{channel}}`; receivers of this machine or its networks need `vp serve` with --allow-private-upstreams',
  ),
} as const;
