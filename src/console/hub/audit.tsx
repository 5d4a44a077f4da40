import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Hub } from '../../contract/hub-api.ts';
import type { AuditCall, AuditQuery } from '../../contract/hub-audit-api.ts';
import { nowMs } from '../browser.ts';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useHold } from '../runs/use-hold.ts';
import { countText } from '../words/moments.ts';
import { AuditExport } from './audit-export.tsx';
import { auditQueryOf } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditHealth } from './audit-health.tsx';
import { lookedText } from './audit-looked.ts';
import { AuditRow } from './audit-row.tsx';
import { useAudit, useTail } from './use-audit.ts';

/** Who called what, when, with which result. */
export function Audit({ hub }: { hub: Hub }) {
  const [search] = useSearchParams();
  const [isFollowing, setFollowing] = useState(true);
  // Which call is open is no part of the question.
  const asked = [...search].filter(([name]) => name !== 'call').join('&');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` is what is used of the search
  const query = useMemo(() => auditQueryOf(search, nowMs()), [asked]);
  return (
    <>
      {hub.role === 'owner' ? null : <p className="faint">You see your own calls; owners of the hub see all.</p>}
      <AuditHealth hub={hub.slug} />
      <div className="bar">
        <AuditFilters hub={hub} />
        <span className="grow" />
        {hub.role === 'owner' ? <AuditExport hub={hub.slug} from={query.from} /> : null}
      </div>
      <Calls hub={hub.slug} query={query} isFollowing={isFollowing} follow={setFollowing} isFiltered={asked !== ''} />
    </>
  );
}

type CallsProps = {
  readonly hub: string;
  readonly query: AuditQuery;
  readonly isFollowing: boolean;
  readonly follow: (isFollowing: boolean) => void;
  readonly isFiltered: boolean;
};

function Calls({ hub, query, isFollowing, follow, isFiltered }: CallsProps) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useAudit(hub, query);
  const { fresh, isLive } = useTail(hub, query, isFollowing);
  const { held, release, listProps } = useHold();
  const shown = useLetIn(fresh, held);
  const calls = useMemo(() => merged(shown, data?.pages.flatMap(({ items }) => items) ?? []), [shown, data]);
  const lookedUntil = data?.pages.at(-1)?.looked_until ?? null;
  if (isPending) return <Skeleton rows={10} label="Loading calls" />;
  return (
    <>
      {error ? <Problem error={error} retry={refetch} /> : null}
      <div className="bar">
        <label>
          <input type="checkbox" checked={isFollowing} onChange={({ target }) => follow(target.checked)} /> Live
        </label>
        <span className="faint" role="status">
          {!isFollowing ? 'Not following.' : isLive ? 'Following: new calls appear on top.' : 'Not live; trying again…'}
        </span>
        {fresh.length > shown.length ? (
          <button type="button" onClick={release}>
            {countText(fresh.length - shown.length, 'new call')}
          </button>
        ) : null}
      </div>
      <div {...listProps}>
        {calls.length > 0 ? <Table calls={calls} /> : null}
        {calls.length === 0 && !error && !hasNextPage ? <NoCalls isFiltered={isFiltered} /> : null}
      </div>
      {hasNextPage ? (
        <p className="actions">
          <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? 'Looking…' : 'Look further back'}
          </button>
          {lookedUntil === null ? null : <span role="status">{lookedText(calls.length, lookedUntil, isFiltered)}</span>}
        </p>
      ) : null}
    </>
  );
}

/** New calls wait while somebody reads. */
function useLetIn(fresh: readonly AuditCall[], held: boolean): readonly AuditCall[] {
  const [shown, setShown] = useState(fresh);
  useEffect(() => {
    if (!held || fresh.length === 0) setShown(fresh);
  }, [fresh, held]);
  return shown;
}

function Table({ calls }: { calls: readonly AuditCall[] }) {
  return (
    <div className="table-scroll">
      <table className="table people tokens audit">
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col">Tool</th>
            <th scope="col">Person</th>
            <th scope="col">By</th>
            <th scope="col" className="number">
              Took
            </th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <AuditRow key={call.seq} call={call} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoCalls({ isFiltered }: { isFiltered: boolean }) {
  const [, setSearch] = useSearchParams();
  if (!isFiltered)
    return (
      <Empty title="No calls yet">
        <p>Every call of a tool through this hub is written here, also those that were denied.</p>
      </Empty>
    );
  return (
    <Empty title="No calls like that">
      <button type="button" onClick={() => setSearch('')}>
        Show all calls
      </button>
    </Empty>
  );
}

/** Each call once, newest first. */
function merged(fresh: readonly AuditCall[], read: readonly AuditCall[]): readonly AuditCall[] {
  const known = new Set(read.map(({ seq }) => seq));
  return [...fresh.filter(({ seq }) => !known.has(seq)), ...read];
}
