import { useState } from 'react';
import type { NotificationChannel } from '../../../contract/notifications-api.ts';
import { formatUnknownNames } from '../../../contract/unknown-names-text.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useHasRole } from '../../session/use-session.ts';
import { ChannelDialog } from './channel-dialog.tsx';
import { formatKind, formatRouting, formatTimes } from './channel-text.ts';
import { useChangeChannels } from './use-notifications.ts';

type ChannelProps = { readonly channel: NotificationChannel };

export function ChannelRow({ channel }: ChannelProps) {
  const { channel: id, kind, destination, routing, pending, failed } = channel;
  const parts = [...(pending > 0 ? [`${pending} waiting`] : []), ...(failed > 0 ? [`${failed} given up`] : [])];
  const unknown = formatUnknownNames(channel, 'environment');
  return (
    <tr>
      <td className="wrap">
        {id}
        <span className="failure-check">
          {formatKind(kind)}: {destination}
        </span>
      </td>
      <td data-label="Gets" className="wrap">
        {formatRouting(routing)}
        {unknown === '' ? null : <span className="failure-check">There is {unknown}.</span>}
      </td>
      <td data-label="When" className="wrap">
        {formatTimes(routing)}
      </td>
      <td data-label="State" className="wrap">
        {parts.length === 0 ? <span className="faint">nothing waits</span> : parts.join(', ')}
      </td>
      <td>
        <ChannelActions channel={channel} />
      </td>
    </tr>
  );
}

function ChannelActions({ channel }: ChannelProps) {
  const change = useChangeChannels();
  const [dialog, setDialog] = useState<'edit' | 'remove'>();
  const { channel: id } = channel;
  const close = (): void => setDialog(undefined);
  const hasSentTest = change.isSuccess && change.variables.kind === 'test';
  if (!useHasRole('owner')) return null;
  return (
    <>
      <span className="bar">
        <button
          type="button"
          disabled={change.isPending}
          aria-label={`Send test to ${id}`}
          onClick={() => change.mutate({ kind: 'test', channel: id })}
        >
          {change.isPending ? 'Sending…' : 'Send test'}
        </button>
        <button type="button" aria-label={`Edit ${id}`} onClick={() => setDialog('edit')}>
          Edit…
        </button>
        <button type="button" aria-label={`Remove ${id}`} onClick={() => setDialog('remove')}>
          Remove…
        </button>
      </span>
      <span role="status" className="faint">
        {hasSentTest ? 'The test message was accepted.' : ''}
      </span>
      {change.error ? <ErrorNotice error={change.error} /> : null}
      {dialog === 'edit' ? <ChannelDialog channel={channel} onClose={close} /> : null}
      {dialog === 'remove' ? (
        <ConfirmDialog
          title={`Remove ${id}`}
          consequence="Nothing is sent to it any more, and changes that wait for it are not sent. Its log stays."
          confirmationText={id}
          confirmLabel="Remove channel"
          isPending={change.isPending}
          onConfirm={() => change.mutate({ kind: 'remove', channel: id }, { onSuccess: close })}
          onClose={close}
        />
      ) : null}
    </>
  );
}
