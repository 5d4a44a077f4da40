import { useMemo } from 'react';
import { Link } from 'wouter';
import { matchesSearch } from '../../client/scenario-search.ts';
import type { DeletedScenario } from '../../contract/api.ts';
import { BulkBar } from '../bulk/bulk-bar.tsx';
import { SelectAllCell, SelectCell } from '../bulk/select-cells.tsx';
import type { BulkControl } from '../bulk/use-bulk-task.ts';
import { type RowSelection, useSelection } from '../bulk/use-selection.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { scenarioPath, scenariosPath } from '../paths.ts';
import { formatCount } from '../text/format.ts';
import { useIdsOfPath } from './use-catalogue.ts';
import { useDeletedScenarios, useRestoreScenario } from './use-scenario-changes.ts';
import { useScenarioTasks } from './use-scenario-tasks.ts';

type DeletedScenariosProps = {
  readonly instance: string;
  readonly searchText: string;
  readonly canWrite: boolean;
  readonly bulk: BulkControl;
};

/** What was deleted from the catalogue, to be restored. */
export function DeletedScenarios({ instance, searchText, canWrite, bulk }: DeletedScenariosProps) {
  const { data } = useDeletedScenarios(instance);
  const idsOfPath = useIdsOfPath(instance, searchText, true);
  const matches = useMemo(
    () => (data ?? []).filter((entry) => matchesSearch(entry, searchText, idsOfPath)),
    [data, searchText, idsOfPath],
  );
  const ids = useMemo(() => matches.map(({ scenario_id: id }) => id), [matches]);
  const selection = useSelection(ids, canWrite);
  const tasks = useScenarioTasks(instance);
  const items = matches
    .filter(({ scenario_id: id }) => selection.ids.has(id))
    .map(({ scenario_id: id, revision }) => ({ id, label: id, revision }));
  return (
    <>
      <DeletedTable {...{ instance, searchText, matches }} selection={canWrite ? selection : undefined} />
      <BulkBar noun="scenario" selection={selection} bulk={bulk}>
        <button type="button" onClick={() => bulk.start(tasks.restore(items))}>
          Restore {formatCount(items.length, 'scenario')}
        </button>
      </BulkBar>
    </>
  );
}

type DeletedTableProps = Pick<DeletedScenariosProps, 'instance' | 'searchText'> & {
  readonly matches: readonly DeletedScenario[];
  readonly selection: RowSelection | undefined;
};

function DeletedTable({ instance, searchText, matches, selection }: DeletedTableProps) {
  const { data, error, refetch } = useDeletedScenarios(instance);
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={4} label="Loading deleted scenarios" />;
  if (data.length === 0)
    return (
      <EmptyState title="Nothing was deleted">
        <p>A deleted scenario appears here and can be restored. Its runs stay.</p>
        <Link href={scenariosPath(instance)}>Show the scenarios</Link>
      </EmptyState>
    );
  if (matches.length === 0) return <EmptyState title={`No deleted scenario matches “${searchText}”`} />;
  return (
    <table className="scenario-table">
      <thead>
        <tr>
          {selection ? <SelectAllCell selection={selection} /> : null}
          <th scope="col">Scenario</th>
          <th scope="col">Deleted</th>
          <th scope="col">Last revision</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {matches.map((entry) => (
          <DeletedRow key={entry.scenario_id} instance={instance} entry={entry} selection={selection} />
        ))}
      </tbody>
    </table>
  );
}

type DeletedRowProps = {
  readonly instance: string;
  readonly entry: DeletedScenario;
  /** Undefined for readers who cannot restore. */
  readonly selection: RowSelection | undefined;
};

function DeletedRow({ instance, entry, selection }: DeletedRowProps) {
  const { scenario_id: id, title, revision, deleted_at: deletedAt, deleted_by: deletedBy } = entry;
  const restore = useRestoreScenario(instance);
  const isSelected = selection?.ids.has(id) ?? false;
  return (
    <tr className={isSelected ? 'is-selected' : undefined} data-select={selection && id}>
      {selection ? <SelectCell id={id} label={id} isSelected={isSelected} onToggle={selection.toggle} /> : null}
      <th scope="row">
        <Link href={scenarioPath(instance, id)} className="scenario-link" data-row>
          <span className="run-name">{id}</span> <span className="run-summary">{title}</span>
        </Link>
      </th>
      <td className="faint">
        {deletedAt === null ? 'before times were recorded' : <RelativeTime timestamp={deletedAt} />}
        {deletedBy === null ? '' : ` by ${deletedBy}`}
      </td>
      <td className="faint">rev {revision}</td>
      <td className="row-actions">
        {selection ? (
          <button
            type="button"
            aria-label={`Restore ${id}`}
            disabled={restore.isPending}
            onClick={() => restore.mutate({ id, revision })}
          >
            {restore.isPending ? 'Restoring…' : 'Restore'}
          </button>
        ) : null}
        {restore.error ? <span role="alert">{restore.error.message}</span> : null}
      </td>
    </tr>
  );
}
