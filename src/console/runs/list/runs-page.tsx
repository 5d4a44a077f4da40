import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { CommandLine } from '../../components/command-line.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { NoScenarios } from '../../scenarios/no-scenarios.tsx';
import { useCatalogue } from '../../scenarios/use-catalogue.ts';
import { useHasRole } from '../../session/use-session.ts';
import { useRememberInstance } from '../../shell/current-instance.ts';
import { useKeys } from '../../shell/use-keys.ts';
import { ChartsPanel } from '../charts/charts-panel.tsx';
import { isFiltered, parseRunFilter, type RunsPageFilter } from '../run-filter.ts';
import { isFirstPageTooLong, listRuns } from '../run-pages.ts';
import { InstanceHeader } from './instance-header.tsx';
import { RunDialog } from './run-dialog.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunList } from './run-list.tsx';
import { useReloadList, useRuns } from './use-runs.ts';

export default function RunsPage({ instance }: { instance: string }) {
  const [search, setSearch] = useSearchParams();
  const filter = useMemo(() => parseRunFilter(instance, search), [instance, search]);
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const canRun = useHasRole('member');
  useRememberInstance(instance);
  const actions = useMemo(() => ({ r: () => setIsDialogOpen(canRun) }), [canRun]);
  useKeys(actions);
  return (
    <>
      <title>{`Runs · ${instance} · vp`}</title>
      <InstanceHeader instance={instance} />
      <div className="bar">
        <RunFilters filter={filter} />
        <span className="grow" />
        {canRun ? (
          <button type="button" className="strong" onClick={() => setIsDialogOpen(true)}>
            Run…
          </button>
        ) : null}
      </div>
      <div className="runs-layout">
        <RunRows filter={filter} onClear={() => setSearch('')} />
        <ChartsPanel instance={instance} />
      </div>
      {isDialogOpen ? <RunDialog instance={instance} onClose={() => setIsDialogOpen(false)} /> : null}
    </>
  );
}

function RunRows({ filter, onClear }: { filter: RunsPageFilter; onClear: () => void }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useRuns(filter);
  const loadMore = useMemo(() => (hasNextPage ? () => void fetchNextPage() : undefined), [hasNextPage, fetchNextPage]);
  const runs = useMemo(() => listRuns(data), [data]);
  const reloadList = useReloadList(filter);
  if (isPending) return <Skeleton rows={12} label="Loading runs" />;
  if (error && runs.length === 0) return <ErrorNotice error={error} retry={refetch} />;
  if (runs.length > 0)
    return (
      <RunList
        runs={runs}
        loadMore={loadMore}
        isLoadingMore={isFetchingNextPage}
        reloadList={isFirstPageTooLong(data) ? reloadList : undefined}
      />
    );
  if (!isFiltered(filter)) return <NoRuns instance={filter.instance} />;
  return (
    <EmptyState title={filter.result === 'failed' ? 'No failed runs' : 'No matching runs'}>
      <p>No run matches the filter.</p>
      <button type="button" onClick={onClear}>
        Show all runs
      </button>
    </EmptyState>
  );
}

/** First use: shows the next command to type. */
function NoRuns({ instance }: { instance: string }) {
  const { data } = useCatalogue(instance, 60_000);
  if (data?.length === 0) return <NoScenarios instance={instance} />;
  const [first] = data ?? [];
  return (
    <EmptyState title="No runs yet">
      <p>Press Run… above, or type:</p>
      <CommandLine text={`vp run ${first?.scenario_id ?? '<ID>'} --instance ${instance}`} />
    </EmptyState>
  );
}
