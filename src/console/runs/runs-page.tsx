import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useMay } from '../session/use-session.ts';
import { useRememberInstance } from '../shell/current-instance.ts';
import { useKeys } from '../shell/use-keys.ts';
import { ChartsPlace } from './charts-place.tsx';
import { filterFrom, isFiltered, type RunFilter } from './filter.ts';
import { InstanceHeader } from './instance-header.tsx';
import { isOverfull, rowsOf } from './merge.ts';
import { NoRuns } from './no-runs.tsx';
import { RunDialog } from './run-dialog.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunList } from './run-list.tsx';
import { useRenew, useRuns } from './use-runs.ts';

/** What ran, what failed and why. */
export default function RunsPage({ instance }: { instance: string }) {
  const [search, setSearch] = useSearchParams();
  const filter = useMemo(() => filterFrom(instance, search), [instance, search]);
  const [running, setRunning] = useState(false);
  const mayRun = useMay('member');
  useRememberInstance(instance);
  const actions = useMemo(() => ({ r: () => setRunning(mayRun) }), [mayRun]);
  useKeys(actions);
  return (
    <>
      <title>{`Runs · ${instance} · vp`}</title>
      <InstanceHeader instance={instance} />
      <div className="bar">
        <RunFilters filter={filter} />
        <span className="grow" />
        {mayRun ? (
          <button type="button" className="strong" onClick={() => setRunning(true)}>
            Run…
          </button>
        ) : null}
      </div>
      <div className="runs-layout">
        <RunRows filter={filter} onClear={() => setSearch('')} />
        <ChartsPlace instance={instance} />
      </div>
      {running ? <RunDialog instance={instance} onClose={() => setRunning(false)} /> : null}
    </>
  );
}

function RunRows({ filter, onClear }: { filter: RunFilter; onClear: () => void }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useRuns(filter);
  const more = useMemo(() => (hasNextPage ? () => void fetchNextPage() : undefined), [hasNextPage, fetchNextPage]);
  const rows = useMemo(() => rowsOf(data), [data]);
  const renew = useRenew(filter);
  if (isPending) return <Skeleton rows={12} label="Loading runs" />;
  if (error && rows.length === 0) return <Problem error={error} retry={refetch} />;
  if (rows.length > 0)
    return (
      <RunList runs={rows} more={more} loadingMore={isFetchingNextPage} renew={isOverfull(data) ? renew : undefined} />
    );
  if (!isFiltered(filter)) return <NoRuns instance={filter.instance} />;
  return (
    <Empty title={filter.result === 'failed' ? 'No failures here' : 'No runs like that'}>
      <p>Nothing matches the filter.</p>
      <button type="button" onClick={onClear}>
        Show all runs
      </button>
    </Empty>
  );
}
