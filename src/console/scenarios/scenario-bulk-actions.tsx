import { useState } from 'react';
import type { ScenarioEntry } from '../../contract/api.ts';
import type { BulkItem } from '../bulk/bulk-task.ts';
import type { BulkControl } from '../bulk/use-bulk-task.ts';
import type { RowSelection } from '../bulk/use-selection.ts';
import { Dialog } from '../components/dialog.tsx';
import { DialogActions } from '../components/dialog-actions.tsx';
import { QuarantineForm } from '../quarantines/quarantine-dialog.tsx';
import { useBulkQuarantine } from '../quarantines/use-bulk-quarantine.ts';
import { useQuarantines } from '../quarantines/use-quarantines.ts';
import { useRunScenarios } from '../runs/use-run-scenarios.ts';
import { formatCount } from '../text/format.ts';
import { type RevisionItem, useScenarioTasks } from './use-scenario-tasks.ts';

type ScenarioBulkActionsProps = {
  readonly instance: string;
  /** Those that are selected. */
  readonly entries: readonly ScenarioEntry[];
  readonly selection: RowSelection;
  readonly bulk: BulkControl;
  readonly canWrite: boolean;
};

export function ScenarioBulkActions({ instance, entries, selection, bulk, canWrite }: ScenarioBulkActionsProps) {
  const [isQuarantining, setIsQuarantining] = useState(false);
  // As they were when the dialog was opened: a revision that came since is not what the reader decides about.
  const [deletedItems, setDeletedItems] = useState<readonly RevisionItem[]>();
  const quarantined = useQuarantines(instance).data;
  const quarantine = useBulkQuarantine(instance);
  const tasks = useScenarioTasks(instance);
  const runScenarios = useRunScenarios(instance);
  const items = entries.map(({ scenario_id: id, revision }) => ({ id, label: id, revision }));
  const held = items.filter(({ id }) => quarantined?.has(id));
  const deselect = (done: readonly BulkItem[]): void => selection.deselect(done.map(({ id }) => id));
  const run = (): void =>
    bulk.start(
      {
        ...{ noun: 'scenario', doing: 'Requesting', done: 'requested', items },
        async perform(report) {
          const requested = await runScenarios(items.map(({ id }) => id));
          for (const { id, label } of items)
            report({
              id,
              label,
              ...(requested.ids.has(id) ? {} : { problem: requested.problem ?? 'was not requested' }),
            });
          return requested.link;
        },
      },
      deselect,
    );
  return (
    <>
      <button type="button" onClick={run}>
        Run {formatCount(items.length, 'scenario')}
      </button>
      {canWrite ? (
        <>
          <button type="button" onClick={() => setIsQuarantining(true)}>
            Quarantine…
          </button>
          {held.length > 0 ? (
            <button type="button" onClick={() => bulk.start(quarantine.release(held), deselect)}>
              Release {held.length}
            </button>
          ) : null}
          <button type="button" className="destructive" onClick={() => setDeletedItems(items)}>
            Delete…
          </button>
        </>
      ) : null}
      {isQuarantining ? (
        <QuarantineForm
          title={`Put ${formatCount(items.length, 'scenario')} in quarantine`}
          isPending={false}
          onSubmit={(input) => {
            setIsQuarantining(false);
            bulk.start(quarantine.set(items, input), deselect);
          }}
          onClose={() => setIsQuarantining(false)}
        />
      ) : null}
      {deletedItems ? (
        <DeleteScenarios
          ids={deletedItems.map(({ id }) => id)}
          onConfirm={() => {
            setDeletedItems(undefined);
            bulk.start(tasks.remove(deletedItems), deselect);
          }}
          onClose={() => setDeletedItems(undefined)}
        />
      ) : null}
    </>
  );
}

type DeleteScenariosProps = {
  readonly ids: readonly string[];
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Deleting can be undone, so nothing has to be typed. */
function DeleteScenarios({ ids, onConfirm, onClose }: DeleteScenariosProps) {
  return (
    <Dialog title={`Delete ${formatCount(ids.length, 'scenario')}`} onClose={onClose}>
      <p>
        They leave the catalogue and run no longer. Their revisions and their runs stay, and they can be restored, at
        once or under Deleted. Quarantines end, and restoring does not bring them back.
      </p>
      <ul className="bulk-names">
        {ids.map((id) => (
          <li key={id} className="run-name">
            {id}
          </li>
        ))}
      </ul>
      <DialogActions onClose={onClose} onConfirm={onConfirm} isDestructive>
        Delete {formatCount(ids.length, 'scenario')}
      </DialogActions>
    </Dialog>
  );
}
