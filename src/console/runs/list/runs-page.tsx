import { useMemo, useState } from 'react';
import { BulkBar } from '../../bulk/bulk-bar.tsx';
import { type BulkControl, useBulkTask } from '../../bulk/use-bulk-task.ts';
import { useSelection } from '../../bulk/use-selection.ts';
import { AlternativeCommand } from '../../components/command-line.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { EnvironmentSteps } from '../../overview/first-steps.tsx';
import { NoScenarios } from '../../scenarios/no-scenarios.tsx';
import { useCatalogue } from '../../scenarios/use-catalogue.ts';
import { useHasRole } from '../../session/use-session.ts';
import { useInstance, useRememberInstance } from '../../shell/current-instance.ts';
import { useKeys } from '../../shell/use-keys.ts';
import { clearFilters, useFilterParams } from '../../views/use-filter-params.ts';
import { MissingView, ViewBar } from '../../views/view-bar.tsx';
import { ChartsPanel } from '../charts/charts-panel.tsx';
import { isFiltered, parseRunFilter, type RunsPageFilter } from '../run-filter.ts';
import { isFirstPageTooLong, joinRunPages } from '../run-pages.ts';
import { InstanceHeader } from './instance-header.tsx';
import { QueueStrip } from './queue-strip.tsx';
import { RunBulkActions } from './run-bulk-actions.tsx';
import { RunDialog } from './run-dialog.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunList, SearchOlder } from './run-list.tsx';
import { useReloadList, useRuns } from './use-runs.ts';
import { useVisibleRuns } from './use-visible-runs.ts';

export default function RunsPage({ instance }: { instance: string }) {
  const params = useFilterParams(instance, 'runs');
  const filter = useMemo(() => parseRunFilter(instance, params.filters), [instance, params.filters]);
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const canRun = useHasRole('member');
  const bulk = useBulkTask();
  useRememberInstance(instance);
  const actions = useMemo(() => ({ r: () => setIsDialogOpen(canRun) }), [canRun]);
  useKeys(actions);
  if (params.state === 'loading') return <Skeleton rows={12} label="Loading the view" />;
  return (
    <>
      <title>{`${params.view?.name ?? 'Runs'} · ${instance} · vp`}</title>
      <InstanceHeader filter={filter} />
      <ViewBar params={params} />
      <div className="bar">
        <RunFilters filter={filter} params={params} />
        <span className="grow" />
        {canRun ? (
          <button type="button" className="strong" onClick={() => setIsDialogOpen(true)}>
            Run…
          </button>
        ) : null}
      </div>
      <QueueStrip filter={filter} />
      <div className="runs-layout">
        {params.state === 'ready' ? (
          <RunRows
            key={params.filters.toString()}
            bulk={bulk}
            filter={filter}
            onClear={() => params.change(clearFilters)}
            onRun={() => setIsDialogOpen(true)}
          />
        ) : (
          <MissingView params={params} />
        )}
        <ChartsPanel filter={filter} />
      </div>
      {isDialogOpen ? <RunDialog instance={instance} onClose={() => setIsDialogOpen(false)} /> : null}
    </>
  );
}

type RunRowsProps = {
  readonly filter: RunsPageFilter;
  readonly bulk: BulkControl;
  readonly onClear: () => void;
  readonly onRun: () => void;
};

function RunRows({ filter, bulk, onClear, onRun }: RunRowsProps) {
  const query = useRuns(filter);
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const loadMore = useMemo(() => (hasNextPage ? () => void fetchNextPage() : undefined), [hasNextPage, fetchNextPage]);
  const runs = useMemo(() => joinRunPages(data), [data]);
  const reloadList = useReloadList(filter);
  const list = useVisibleRuns(runs, isFirstPageTooLong(data) ? reloadList : undefined);
  const selection = useSelection(list.visibleIds);
  const selectedRuns = list.visibleRuns.filter(({ run_id: id }) => selection.ids.has(id));
  const lookedUntil = data?.pages.at(-1)?.looked_until;
  if (isPending) return <Skeleton rows={12} label="Loading runs" />;
  if (error && runs.length === 0) return <ErrorNotice error={error} retry={refetch} />;
  return (
    <div>
      {runs.length > 0 ? (
        <RunList
          {...list}
          runs={list.visibleRuns}
          selection={selection}
          loadMore={loadMore}
          isLoadingMore={isFetchingNextPage}
          lookedUntil={lookedUntil}
        />
      ) : loadMore && lookedUntil !== undefined ? (
        <SearchOlder count={0} lookedUntil={lookedUntil} search={loadMore} isSearching={isFetchingNextPage} />
      ) : isFiltered(filter) ? (
        <EmptyState title={emptyTitles[filter.result ?? 'all']}>
          <p>No run matches the filter.</p>
          <button type="button" onClick={onClear}>
            Show all runs
          </button>
        </EmptyState>
      ) : (
        <NoRuns instance={filter.instance} onRun={onRun} />
      )}
      <BulkBar noun="run" selection={selection} bulk={bulk}>
        <RunBulkActions instance={filter.instance} runs={selectedRuns} selection={selection} bulk={bulk} />
      </BulkBar>
    </div>
  );
}

const emptyTitles = {
  all: 'No matching runs',
  failed: 'No failed runs',
  broken: 'Every run could be judged',
  running: 'Nothing is running',
  queued: 'The queue is empty',
} as const;

/** First use: shows the next step, unless it was made. */
function NoRuns({ instance, onRun }: { instance: string; onRun: () => void }) {
  const canRun = useHasRole('member');
  const { data } = useCatalogue(instance, 60_000);
  const { running = null, queued = 0 } = useInstance(instance) ?? {};
  if (running !== null || queued > 0) return <p className="faint">No run has ended yet.</p>;
  if (data?.length === 0) return <NoScenarios instance={instance} />;
  const [first] = data ?? [];
  return (
    <EmptyState title="No runs yet">
      <EnvironmentSteps id={instance} />
      {canRun ? (
        <button type="button" className="strong" onClick={onRun}>
          Run scenarios…
        </button>
      ) : null}
      {canRun && first ? <AlternativeCommand text={`vp run ${first.scenario_id} --instance ${instance}`} /> : null}
    </EmptyState>
  );
}
