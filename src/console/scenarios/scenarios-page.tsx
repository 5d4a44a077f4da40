import { useMemo } from 'react';
import { Link } from 'wouter';
import { matchesSearch } from '../../client/scenario-search.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import { BulkBar } from '../bulk/bulk-bar.tsx';
import { SelectAllCell } from '../bulk/select-cells.tsx';
import { useBulkTask } from '../bulk/use-bulk-task.ts';
import { type RowSelection, useSelection } from '../bulk/use-selection.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SearchInput } from '../components/search-input.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useLongList } from '../components/use-long-list.ts';
import { listDrafts, useDraftAccount } from '../drafts/draft-storage.ts';
import { coveragePath, scenarioPath } from '../paths.ts';
import { useQuarantines } from '../quarantines/use-quarantines.ts';
import { useCanEditInstance, useHasRole } from '../session/use-session.ts';
import { useInstance, useRememberInstance } from '../shell/current-instance.ts';
import { formatCount } from '../text/format.ts';
import { useFilterParams } from '../views/use-filter-params.ts';
import { MissingView, ViewBar } from '../views/view-bar.tsx';
import { DeletedScenarios } from './deleted-scenarios.tsx';
import { NoScenarios } from './no-scenarios.tsx';
import { ScenarioBulkActions } from './scenario-bulk-actions.tsx';
import { ScenarioRow } from './scenario-row.tsx';
import { useCatalogue, useIdsOfPath } from './use-catalogue.ts';
import { useRequestedRows } from './use-requested-rows.ts';
import { useScenarioResults } from './use-scenario-changes.ts';

/** The catalogue of an instance; with `deleted` in the address what was deleted from it. */
export default function ScenariosPage({ instance }: { instance: string }) {
  // Asked for before the catalogue, because they take longer: rows have their results when they are first rendered.
  const facts = { results: useScenarioResults(instance), quarantines: useQuarantines(instance) };
  const { data, error, refetch } = useCatalogue(instance);
  const params = useFilterParams(instance, 'scenarios');
  const searchText = params.filters.get('find') ?? '';
  const showsDeleted = params.filters.has('deleted');
  const idsOfPath = useIdsOfPath(instance, searchText, showsDeleted);
  const canWrite = useCanEditInstance(useInstance(instance));
  const bulk = useBulkTask();
  const matches = useMemo(
    () => (data ?? []).filter((entry) => matchesSearch(entry, searchText, idsOfPath)),
    [data, searchText, idsOfPath],
  );
  const ids = useMemo(
    () => (showsDeleted || params.state !== 'ready' ? [] : matches.map(({ scenario_id: id }) => id)),
    [matches, showsDeleted, params.state],
  );
  const canSelect = useHasRole('member');
  const selection = useSelection(ids, canSelect && !showsDeleted);
  const hasNewDraft = listDrafts(useDraftAccount(), ['scenario', instance]).includes('');
  useRememberInstance(instance);
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data || params.state === 'loading') return <Skeleton rows={8} label="Loading scenarios" />;
  const setParam = (name: string, value: string): void =>
    params.change((filters) => filters.set(name, value), { replace: true });
  return (
    <>
      <title>{`${params.view?.name ?? 'Scenarios'} · ${instance} · vp`}</title>
      <div className="bar">
        <h1>
          Scenarios <span className="faint">{instance}</span>
        </h1>
        <SearchInput
          label="Find scenarios"
          placeholder="id, title, tag, owner or path"
          value={searchText}
          onSearch={(text) => setParam('find', text)}
        />
        <button
          type="button"
          className="chip"
          aria-pressed={showsDeleted}
          onClick={() => setParam('deleted', showsDeleted ? '' : 'true')}
        >
          Deleted
        </button>
        {showsDeleted ? null : <span className="faint">{formatCount(matches.length, 'scenario')}</span>}
        <span className="grow" />
        <Link href={coveragePath(instance)}>Coverage</Link>
        {canWrite ? (
          <Link href={scenarioPath(instance, 'new')} className="button">
            {hasNewDraft ? 'Continue new scenario' : 'New scenario'}
          </Link>
        ) : null}
      </div>
      <ViewBar params={params} />
      {params.state !== 'ready' ? (
        <MissingView params={params} />
      ) : showsDeleted ? (
        <DeletedScenarios instance={instance} searchText={searchText} canWrite={canWrite} bulk={bulk} />
      ) : data.length === 0 ? (
        <NoScenarios instance={instance} />
      ) : matches.length === 0 ? (
        <EmptyState title={`No scenario matches “${searchText}”`}>
          <button type="button" onClick={() => setParam('find', '')}>
            Show all scenarios
          </button>
        </EmptyState>
      ) : (
        <ScenarioTable instance={instance} entries={matches} {...facts} canWrite={canWrite} selection={selection} />
      )}
      {showsDeleted ? null : (
        <BulkBar noun="scenario" selection={selection} bulk={bulk}>
          <ScenarioBulkActions
            instance={instance}
            entries={matches.filter(({ scenario_id: id }) => selection.ids.has(id))}
            selection={selection}
            bulk={bulk}
            canWrite={canWrite}
          />
        </BulkBar>
      )}
    </>
  );
}

type ScenarioTableProps = {
  readonly instance: string;
  readonly entries: readonly ScenarioEntry[];
  readonly results: ReturnType<typeof useScenarioResults>;
  readonly quarantines: ReturnType<typeof useQuarantines>;
  readonly canWrite: boolean;
  readonly selection: RowSelection;
};

function ScenarioTable({ instance, entries, results, quarantines, canWrite, selection }: ScenarioTableProps) {
  const listedEntries = useLongList(entries);
  const canRun = useHasRole('member');
  const requested = useRequestedRows(instance);
  const draftIds = new Set(listDrafts(useDraftAccount(), ['scenario', instance]));
  return (
    <>
      {results.error ? <ErrorNotice error={results.error} retry={results.refetch} /> : null}
      <table className="scenario-table">
        <thead>
          <tr>
            {canRun ? <SelectAllCell selection={selection} /> : null}
            <th scope="col">Scenario</th>
            <th scope="col">Last result</th>
            <th scope="col">Tags</th>
            <th scope="col" className="scenario-changed">
              Changed
            </th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {listedEntries.map((entry) => (
            <ScenarioRow
              key={entry.scenario_id}
              instance={instance}
              entry={entry}
              result={results.data?.get(entry.scenario_id)}
              quarantine={quarantines.data?.get(entry.scenario_id)}
              hasDraft={draftIds.has(entry.scenario_id)}
              canRun={canRun}
              isSelected={selection.ids.has(entry.scenario_id)}
              onToggle={selection.toggle}
              canWrite={canWrite}
              request={requested.rows.get(entry.scenario_id)}
              onRun={requested.request}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}
