import { useState } from 'react';
import type { Run } from '../../../contract/api.ts';
import { isFinalState } from '../../../run/state.ts';
import type { BulkItem } from '../../bulk/bulk-task.ts';
import type { BulkControl } from '../../bulk/use-bulk-task.ts';
import type { RowSelection } from '../../bulk/use-selection.ts';
import { QuarantineForm } from '../../quarantines/quarantine-dialog.tsx';
import { useBulkQuarantine } from '../../quarantines/use-bulk-quarantine.ts';
import { useCanEditInstance, useHasRole } from '../../session/use-session.ts';
import { useInstance } from '../../shell/current-instance.ts';
import { formatCount } from '../../text/format.ts';
import { useRunTasks } from './use-run-tasks.ts';

type RunBulkActionsProps = {
  readonly instance: string;
  /** Those that are selected. */
  readonly runs: readonly Run[];
  readonly selection: RowSelection;
  readonly bulk: BulkControl;
};

function listScenarios(runs: readonly Run[]): readonly BulkItem[] {
  return [...new Set(runs.map(({ scenario_id: id }) => id))].map((id) => ({ id, label: id }));
}

/** What can be done with the selected runs, by whom. */
export function RunBulkActions({ instance, runs, selection, bulk }: RunBulkActionsProps) {
  const tasks = useRunTasks(instance);
  const quarantine = useBulkQuarantine(instance);
  const canRun = useHasRole('member');
  const canEdit = useCanEditInstance(useInstance(instance));
  const [isQuarantining, setIsQuarantining] = useState(false);
  const open = runs.filter(({ state }) => !isFinalState(state));
  const ended = runs.filter(({ state }) => isFinalState(state));
  const scenarios = listScenarios(ended);
  const deselect = (items: readonly BulkItem[]): void => selection.deselect(items.map(({ id }) => id));
  return (
    <>
      {canRun && open.length > 0 ? (
        <button type="button" className="destructive" onClick={() => bulk.start(tasks.cancel(open), deselect)}>
          Cancel {formatCount(open.length, 'run')}
        </button>
      ) : null}
      {canRun && ended.length > 0 ? (
        <button type="button" onClick={() => bulk.start(tasks.runAgain(ended), deselect)}>
          Run {formatCount(scenarios.length, 'scenario')} again
        </button>
      ) : null}
      {canEdit && scenarios.length > 0 ? (
        <button type="button" onClick={() => setIsQuarantining(true)}>
          Quarantine…
        </button>
      ) : null}
      <button type="button" onClick={() => bulk.start(tasks.exportRuns(runs))}>
        Export
      </button>
      {isQuarantining ? (
        <QuarantineForm
          title={`Put ${formatCount(scenarios.length, 'scenario')} in quarantine`}
          isPending={false}
          onSubmit={(input) => {
            setIsQuarantining(false);
            bulk.start(quarantine.set(scenarios, input));
          }}
          onClose={() => setIsQuarantining(false)}
        />
      ) : null}
    </>
  );
}
