import { Link } from 'wouter';
import type { DeletedScenario } from '../../contract/api.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { scenarioPath, scenariosPath } from '../paths.ts';
import { matchesSearch, useIdsOfPath } from './use-catalogue.ts';
import { useDeletedScenarios, useRestoreScenario } from './use-scenario-changes.ts';

type DeletedScenariosProps = { readonly instance: string; readonly searchText: string; readonly canWrite: boolean };

/** What was deleted from the catalogue, to be restored. */
export function DeletedScenarios({ instance, searchText, canWrite }: DeletedScenariosProps) {
  const { data, error, refetch } = useDeletedScenarios(instance);
  const idsOfPath = useIdsOfPath(instance, searchText, true);
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={4} label="Loading deleted scenarios" />;
  const matches = data.filter((entry) => matchesSearch(entry, searchText, idsOfPath));
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
          <DeletedRow key={entry.scenario_id} instance={instance} entry={entry} canWrite={canWrite} />
        ))}
      </tbody>
    </table>
  );
}

type DeletedRowProps = { readonly instance: string; readonly entry: DeletedScenario; readonly canWrite: boolean };

function DeletedRow({ instance, entry, canWrite }: DeletedRowProps) {
  const { scenario_id: id, title, revision, deleted_at: deletedAt, deleted_by: deletedBy } = entry;
  const restore = useRestoreScenario(instance);
  return (
    <tr>
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
        {canWrite ? (
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
