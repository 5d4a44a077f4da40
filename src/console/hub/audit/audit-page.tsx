import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { AuditCall, AuditQuery } from '../../../contract/hubs/audit-api.ts';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import { nowMs } from '../../browser.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useReadingPause } from '../../runs/list/use-reading-pause.ts';
import { formatCount } from '../../text/format.ts';
import { HubSteps } from '../hub-steps.tsx';
import { AuditExport } from './audit-export.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { AuditHealth } from './audit-health.tsx';
import { formatSearchProgress, parseAuditQuery } from './audit-query.ts';
import { AuditRow } from './audit-row.tsx';
import { useAuditCalls, useAuditTail } from './use-audit.ts';

export function AuditPage({ hub }: { hub: Hub }) {
  const [search] = useSearchParams();
  const [isFollowing, setFollowing] = useState(true);
  // The expanded call does not change the query.
  const filterKey = [...search].filter(([name]) => name !== 'call').join('&');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `filterKey` holds the parameters that are used
  const query = useMemo(() => parseAuditQuery(search, nowMs()), [filterKey]);
  return (
    <>
      {hub.role === 'owner' ? null : <p className="faint">You see your own calls. Owners of the hub see all calls.</p>}
      <AuditHealth hub={hub.slug} />
      <div className="bar">
        <AuditFilters hub={hub} />
        {hub.role === 'owner' ? <AuditExport hub={hub.slug} from={query.from} /> : null}
      </div>
      <AuditCalls
        hub={hub}
        query={query}
        isFollowing={isFollowing}
        onFollowingChange={setFollowing}
        isFiltered={filterKey !== ''}
      />
    </>
  );
}

type AuditCallsProps = {
  readonly hub: Hub;
  readonly query: AuditQuery;
  readonly isFollowing: boolean;
  readonly onFollowingChange: (isFollowing: boolean) => void;
  readonly isFiltered: boolean;
};

function AuditCalls({ hub, query, isFollowing, onFollowingChange, isFiltered }: AuditCallsProps) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useAuditCalls(
    hub.slug,
    query,
  );
  const { newCalls, isLive } = useAuditTail(hub.slug, query, isFollowing);
  const { isPaused, resume, listProps } = useReadingPause();
  const visibleCalls = useVisibleCalls(newCalls, isPaused);
  const calls = useMemo(
    () => mergeCalls(visibleCalls, data?.pages.flatMap(({ items }) => items) ?? []),
    [visibleCalls, data],
  );
  const searchedUntil = data?.pages.at(-1)?.looked_until ?? null;
  if (isPending) return <Skeleton rows={10} label="Loading calls" />;
  return (
    <>
      {error ? <ErrorNotice error={error} retry={refetch} /> : null}
      <div className="bar">
        <label>
          <input type="checkbox" checked={isFollowing} onChange={({ target }) => onFollowingChange(target.checked)} />{' '}
          Live
        </label>
        <span className="faint" role="status">
          {!isFollowing
            ? 'Not following.'
            : isLive
              ? 'Following: new calls appear at the top.'
              : 'Not connected. Retrying…'}
        </span>
        {newCalls.length > visibleCalls.length ? (
          <button type="button" onClick={resume}>
            {formatCount(newCalls.length - visibleCalls.length, 'new call')}
          </button>
        ) : null}
      </div>
      <div {...listProps}>
        {calls.length > 0 ? <CallTable calls={calls} /> : null}
        {calls.length === 0 && !error && !hasNextPage ? <NoCalls hub={hub} isFiltered={isFiltered} /> : null}
      </div>
      {hasNextPage ? (
        <p className="actions">
          <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? 'Searching…' : 'Search older calls'}
          </button>
          {searchedUntil === null ? null : (
            <span role="status">{formatSearchProgress(calls.length, searchedUntil, isFiltered)}</span>
          )}
        </p>
      ) : null}
    </>
  );
}

/** Holds new calls back while the person reads, so that rows do not move. */
function useVisibleCalls(newCalls: readonly AuditCall[], isPaused: boolean): readonly AuditCall[] {
  const [visibleCalls, setVisibleCalls] = useState(newCalls);
  useEffect(() => {
    if (!isPaused || newCalls.length === 0) setVisibleCalls(newCalls);
  }, [newCalls, isPaused]);
  return visibleCalls;
}

function CallTable({ calls }: { calls: readonly AuditCall[] }) {
  return (
    <DataTable
      className="people tokens audit"
      columns={['Outcome', 'Tool', 'Person', 'Via', { label: 'Duration', isNumber: true }, 'Time']}
    >
      {calls.map((call) => (
        <AuditRow key={call.seq} call={call} />
      ))}
    </DataTable>
  );
}

function NoCalls({ hub, isFiltered }: { hub: Hub; isFiltered: boolean }) {
  const [, setSearch] = useSearchParams();
  if (!isFiltered)
    return (
      <EmptyState title="No calls yet">
        <p>Every tool call through this hub is recorded here, including denied calls.</p>
        <HubSteps hub={hub} />
      </EmptyState>
    );
  return (
    <EmptyState title="No matching calls">
      <button type="button" onClick={() => setSearch('')}>
        Show all calls
      </button>
    </EmptyState>
  );
}

/** Newest first, without duplicates, and without the starts of calls whose outcome is there. */
function mergeCalls(newCalls: readonly AuditCall[], loaded: readonly AuditCall[]): readonly AuditCall[] {
  const loadedSeqs = new Set(loaded.map(({ seq }) => seq));
  const calls = [...newCalls.filter(({ seq }) => !loadedSeqs.has(seq)), ...loaded];
  const settledSeqs = new Set(calls.map(({ intent_seq: intentSeq }) => intentSeq));
  return calls.filter(({ seq }) => !settledSeqs.has(seq));
}
