import { useState } from 'react';
import type { NotificationChannel } from '../../../contract/notifications-api.ts';
import { AlternativeCommand } from '../../components/command-line.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryContent } from '../../hub/query-content.tsx';
import { RemainingSteps } from '../../overview/first-steps.tsx';
import { useHasRole } from '../../session/use-session.ts';
import { useInstances } from '../../shell/current-instance.ts';
import { ChannelDialog } from './channel-dialog.tsx';
import { ChannelRow } from './channel-row.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { useChannels } from './use-notifications.ts';

/** Who is notified of changes of state, and what was sent. */
export function NotificationsPage() {
  const query = useChannels();
  const [isAdding, setIsAdding] = useState(false);
  const [first] = useInstances().data ?? [];
  const isOwner = useHasRole('owner');
  const add = isOwner ? (
    <p>
      <button type="button" className="strong" onClick={() => setIsAdding(true)}>
        Add channel…
      </button>
    </p>
  ) : (
    <p className="faint">Only owners can add and change channels.</p>
  );
  return (
    <>
      <QueryContent query={query}>
        {(channels) =>
          channels.length === 0 ? (
            <EmptyState title="Nobody is notified">
              <p>
                A channel sends changes of state, such as newly failing or recovered, to a chat, by email or to a
                webhook.
              </p>
              <RemainingSteps id={first?.instance_id} />
              {add}
              {isOwner ? <AlternativeCommand text="vp notifications add team --kind slack --secret-file -" /> : null}
            </EmptyState>
          ) : (
            <>
              {add}
              <ChannelTable channels={channels} />
            </>
          )
        }
      </QueryContent>
      <DeliveryLog channels={query.data?.map(({ channel }) => channel)} />
      {isAdding ? <ChannelDialog onClose={() => setIsAdding(false)} /> : null}
    </>
  );
}

function ChannelTable({ channels }: { channels: readonly NotificationChannel[] }) {
  return (
    <DataTable
      className="attention"
      columns={['Channel', 'Gets', 'When', 'State', { label: 'Actions', isHidden: true }]}
    >
      {channels.map((channel) => (
        <ChannelRow key={channel.channel} channel={channel} />
      ))}
    </DataTable>
  );
}
