import { useMemo } from 'react';
import { Link } from 'wouter';
import { matchesSearch } from '../../client/scenario-search.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import { BulkBar } from '../bulk/bulk-bar.tsx';
import { useBulkTask } from '../bulk/use-bulk-task.ts';
import { useSelection } from '../bulk/use-selection.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SearchInput } from '../components/search-input.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { listDrafts, useDraftAccount } from '../drafts/draft-storage.ts';
import { coveragePath, scenarioPath } from '../paths.ts';
import { useQuarantines } from '../quarantines/use-quarantines.ts';
import { useCanEditInstance, useHasRole } from '../session/use-session.ts';
import { useInstance, useRememberInstance } from '../shell/current-instance.ts';
import { formatCount } from '../text/format.ts';
import { type FilterParams, useFilterParams } from '../views/use-filter-params.ts';
import { MissingView, ViewBar } from '../views/view-bar.tsx';
import { DeletedScenarios } from './deleted-scenarios.tsx';
import { NoScenarios } from './no-scenarios.tsx';
import { ScenarioBulkActions } from './scenario-bulk-actions.tsx';
import { ScenarioTable } from './scenario-table.tsx';
import { useCatalogue, useIdsOfPath } from './use-catalogue.ts';
import { useScenarioResults } from './use-scenario-changes.ts';

/** The catalogue of an instance; with `deleted` in the address what was deleted from it. */
export default function ScenariosPage({ instance }: { instance: string }) {
  // Requested before the catalogue, because they take longer: rows have their results when they are first rendered.
  const facts = { results: useScenarioResults(instance), quarantines: useQuarantines(instance) };
  const { data, error, refetch } = useCatalogue(instance);
  const params = useFilterParams(instance, 'scenarios');
  const search = useScenarioSearch(params);
  const { searchText, showsDeleted } = search;
  const matches = useMatches(instance, data, search);
  const canWrite = useCanEditInstance(useInstance(instance));
  const bulk = useBulkTask();
  const isListed = !showsDeleted && params.state === 'ready';
  const ids = useMemo(() => (isListed ? matches.map(({ scenario_id: id }) => id) : []), [matches, isListed]);
  const canSelect = useHasRole('member');
  const selection = useSelection(ids, canSelect && !showsDeleted);
  useRememberInstance(instance);
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data || params.state === 'loading') return <Skeleton rows={8} label="Loading scenarios" />;
  const common = { instance, canWrite, bulk };
  return (
    <>
      <title>{`${params.view?.name ?? 'Scenarios'} · ${instance} · vp`}</title>
      <ScenariosBar instance={instance} canWrite={canWrite} search={search} matchCount={matches.length} />
      <ViewBar params={params} />
      {params.state !== 'ready' ? (
        <MissingView params={params} />
      ) : showsDeleted ? (
        <DeletedScenarios {...common} searchText={searchText} />
      ) : data.length === 0 ? (
        <NoScenarios instance={instance} />
      ) : matches.length === 0 ? (
        <EmptyState title={`No scenario matches “${searchText}”`}>
          <button type="button" onClick={() => search.setSearchText('')}>
            Show all scenarios
          </button>
        </EmptyState>
      ) : (
        <ScenarioTable instance={instance} entries={matches} {...facts} canWrite={canWrite} selection={selection} />
      )}
      {showsDeleted ? null : (
        <BulkBar noun="scenario" selection={selection} bulk={bulk}>
          <ScenarioBulkActions
            {...common}
            entries={matches.filter(({ scenario_id: id }) => selection.ids.has(id))}
            selection={selection}
          />
        </BulkBar>
      )}
    </>
  );
}

type ScenarioSearch = ReturnType<typeof useScenarioSearch>;

/** The filters of the page, in its address. */
function useScenarioSearch({ filters, change }: Pick<FilterParams, 'filters' | 'change'>) {
  const setFilter = (name: string, value: string): void => change((next) => next.set(name, value), { replace: true });
  const showsDeleted = filters.has('deleted');
  return {
    searchText: filters.get('find') ?? '',
    showsDeleted,
    setSearchText: (text: string): void => setFilter('find', text),
    toggleDeleted: (): void => setFilter('deleted', showsDeleted ? '' : 'true'),
  };
}

function useMatches(
  instance: string,
  entries: readonly ScenarioEntry[] | undefined,
  { searchText, showsDeleted }: ScenarioSearch,
): readonly ScenarioEntry[] {
  const idsOfPath = useIdsOfPath(instance, searchText, showsDeleted);
  return useMemo(
    () => (entries ?? []).filter((entry) => matchesSearch(entry, searchText, idsOfPath)),
    [entries, searchText, idsOfPath],
  );
}

type ScenariosBarProps = {
  readonly instance: string;
  readonly canWrite: boolean;
  readonly search: ScenarioSearch;
  readonly matchCount: number;
};

function ScenariosBar({ instance, canWrite, search, matchCount }: ScenariosBarProps) {
  const { searchText, showsDeleted, setSearchText, toggleDeleted } = search;
  const hasNewDraft = listDrafts(useDraftAccount(), ['scenario', instance]).includes('');
  return (
    <div className="bar">
      <h1>
        Scenarios <span className="faint">{instance}</span>
      </h1>
      <SearchInput
        label="Find scenarios"
        placeholder="id, title, tag, owner or path"
        value={searchText}
        onSearch={setSearchText}
      />
      <button type="button" className="chip" aria-pressed={showsDeleted} onClick={toggleDeleted}>
        Deleted
      </button>
      {showsDeleted ? null : <span className="faint">{formatCount(matchCount, 'scenario')}</span>}
      <span className="grow" />
      <Link href={coveragePath(instance)}>Coverage</Link>
      {canWrite ? (
        <Link href={scenarioPath(instance, 'new')} className="button">
          {hasNewDraft ? 'Continue new scenario' : 'New scenario'}
        </Link>
      ) : null}
    </div>
  );
}
