import { useState } from 'react';
import { Link } from 'wouter';
import { type DeliveryState, deliveryStates } from '../../../contract/notification-names.ts';
import type { NotificationDelivery } from '../../../contract/notifications-api.ts';
import { DataTable } from '../../components/data-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Select } from '../../components/select.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { runPath } from '../../paths.ts';
import { useHasRole } from '../../session/use-session.ts';
import { deliveryStateLabels, formatProblem } from './channel-text.ts';
import { useChangeChannels, useDeliveries } from './use-notifications.ts';

const every = 'every';

/** What was sent, what waits and what was given up. `channels` is undefined while they are loaded. */
export function DeliveryLog({ channels }: { channels: readonly string[] | undefined }) {
  const [channel, setChannel] = useState(every);
  const [state, setState] = useState<DeliveryState | typeof every>(every);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useDeliveries({
    ...(channel === every ? {} : { channel }),
    ...(state === every ? {} : { state }),
  });
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  // Before the first channel there is nothing to select from; what was sent to removed ones stays.
  const isFiltered = channel !== every || state !== every;
  if (channels?.length === 0 && !isFiltered && !error && items.length === 0) return null;
  return (
    <section aria-labelledby="delivery-log">
      <h2 id="delivery-log">Log</h2>
      <p className="bar">
        <Select
          label="Channel"
          value={channel}
          options={[[every, 'every channel'], ...(channels ?? []).map((name) => [name, name] as const)]}
          onSelect={setChannel}
        />
        <Select
          label="State"
          value={state}
          options={[
            [every, 'every state'],
            ...deliveryStates.map((name) => [name, deliveryStateLabels[name]] as const),
          ]}
          onSelect={setState}
        />
      </p>
      {error ? <ErrorNotice error={error} retry={refetch} /> : null}
      {data === undefined && !error ? <Skeleton rows={4} /> : null}
      {data !== undefined && items.length === 0 ? <p className="faint">Nothing was sent.</p> : null}
      {items.length > 0 ? <DeliveryTable items={items} /> : null}
      {hasNextPage ? (
        <p>
          <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? 'Loading…' : 'Show older ones'}
          </button>
        </p>
      ) : null}
    </section>
  );
}

function DeliveryTable({ items }: { items: readonly NotificationDelivery[] }) {
  return (
    <DataTable className="attention" columns={['Change', 'Channel', 'When', 'State']}>
      {items.map((delivery) => (
        <tr key={`${delivery.id} ${delivery.channel}`}>
          <td className="wrap">
            {delivery.run_id === null ? delivery.title : <Link href={runPath(delivery.run_id)}>{delivery.title}</Link>}
          </td>
          <td data-label="Channel">{delivery.channel}</td>
          <td data-label="When">
            <RelativeTime timestamp={delivery.created_at} />
          </td>
          <td data-label="State" className="wrap">
            <DeliveryStateCell delivery={delivery} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function DeliveryStateCell({ delivery }: { delivery: NotificationDelivery }) {
  const change = useChangeChannels();
  const canRetry = useHasRole('owner') && delivery.state === 'failed';
  const { id, channel, title, state, next_attempt_at: next } = delivery;
  const problem = formatProblem(delivery);
  return (
    <>
      {deliveryStateLabels[state]}
      {next === null ? null : (
        <>
          {' '}
          until <RelativeTime timestamp={next} />
        </>
      )}
      {problem === '' ? null : <span className="failure-check">{problem}</span>}
      {canRetry ? (
        <button
          type="button"
          className="small"
          disabled={change.isPending}
          aria-label={`Send again: ${title}`}
          onClick={() => change.mutate({ kind: 'retry', channel, delivery: id })}
        >
          Send again
        </button>
      ) : null}
      {change.error ? <ErrorNotice error={change.error} /> : null}
    </>
  );
}
