import type { ScenarioEntry } from '../../contract/api.ts';
import { SelectAllCell } from '../bulk/select-cells.tsx';
import type { RowSelection } from '../bulk/use-selection.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useLongList } from '../components/use-long-list.ts';
import { listDrafts, useDraftAccount } from '../drafts/draft-storage.ts';
import type { useQuarantines } from '../quarantines/use-quarantines.ts';
import { useHasRole } from '../session/use-session.ts';
import { ScenarioRow } from './scenario-row.tsx';
import { useRequestedRows } from './use-requested-rows.ts';
import type { useScenarioResults } from './use-scenario-changes.ts';

type ScenarioTableProps = {
  readonly instance: string;
  readonly entries: readonly ScenarioEntry[];
  readonly results: ReturnType<typeof useScenarioResults>;
  readonly quarantines: ReturnType<typeof useQuarantines>;
  readonly canWrite: boolean;
  readonly selection: RowSelection;
};

export function ScenarioTable({ instance, entries, results, quarantines, canWrite, selection }: ScenarioTableProps) {
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
