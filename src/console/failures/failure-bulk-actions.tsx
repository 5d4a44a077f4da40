import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { maxAssigneeLength } from '../../contract/failure-limits.ts';
import type { ChangeFailureRequest, FailureGroup } from '../../contract/failures-api.ts';
import { type BulkItem, type BulkTask, oneByOne } from '../bulk/bulk-task.ts';
import type { BulkControl } from '../bulk/use-bulk-task.ts';
import type { RowSelection } from '../bulk/use-selection.ts';
import { Dialog } from '../components/dialog.tsx';
import { DialogActions } from '../components/dialog-actions.tsx';
import { Field } from '../components/field.tsx';
import { useClient } from '../session/client.ts';
import { useWhoami } from '../session/use-session.ts';
import { formatCount } from '../text/format.ts';

type FailureItem = BulkItem & { readonly failure: FailureGroup };
type TaskTexts = Pick<BulkTask, 'doing' | 'done'>;

/** Each change is undone by what the failure had before. */
function useChangeFailures(instance: string) {
  const { failures } = useClient();
  const queryClient = useQueryClient();
  return function change(
    groups: readonly FailureGroup[],
    texts: TaskTexts,
    toInput: (failure: FailureGroup) => ChangeFailureRequest,
    toFormer: (failure: FailureGroup) => ChangeFailureRequest,
  ): BulkTask {
    const items = groups.map(
      (failure): FailureItem => ({
        ...{ id: failure.failure_id, label: failure.scenario_id, failure },
      }),
    );
    const perform = oneByOne(items, async ({ id, failure }) => {
      await failures.change(instance, id, toInput(failure));
      return undefined;
    });
    return {
      ...{ noun: 'failure', ...texts, items },
      perform: (...call) =>
        perform(...call).finally(() => void queryClient.invalidateQueries({ queryKey: ['failures', instance] })),
      undo: (succeeded) => {
        const ids = new Set(succeeded.map(({ id }) => id));
        const before = groups.filter(({ failure_id: id }) => ids.has(id));
        return change(before, { doing: 'Changing back', done: 'changed back' }, toFormer, toInput);
      },
    };
  };
}

type FailureBulkActionsProps = {
  readonly instance: string;
  /** Those that are selected. */
  readonly failures: readonly FailureGroup[];
  readonly selection: RowSelection;
  readonly bulk: BulkControl;
};

export function FailureBulkActions({ instance, failures, selection, bulk }: FailureBulkActionsProps) {
  const change = useChangeFailures(instance);
  const [isAssigning, setIsAssigning] = useState(false);
  const ownName = useWhoami()?.person?.name;
  const open = failures.filter(({ state }) => state === 'open');
  const resolved = failures.filter(({ state }) => state === 'resolved');
  const deselect = (items: readonly BulkItem[]): void => selection.deselect(items.map(({ id }) => id));
  const setState = (groups: readonly FailureGroup[], state: FailureGroup['state'], texts: TaskTexts): void =>
    bulk.start(
      change(
        groups,
        texts,
        () => ({ state }),
        (failure) => ({ state: failure.state }),
      ),
      deselect,
    );
  const assign = (assignee: string | null): void =>
    bulk.start(
      change(
        failures,
        { doing: 'Assigning', done: assignee === null ? 'assigned to nobody' : `assigned to ${assignee}` },
        () => ({ assignee }),
        (failure) => ({ assignee: failure.assignee }),
      ),
    );
  return (
    <>
      {open.length > 0 ? (
        <button type="button" onClick={() => setState(open, 'resolved', { doing: 'Resolving', done: 'resolved' })}>
          Resolve {formatCount(open.length, 'failure')}
        </button>
      ) : null}
      {resolved.length > 0 ? (
        <button type="button" onClick={() => setState(resolved, 'open', { doing: 'Opening', done: 'opened again' })}>
          Open {formatCount(resolved.length, 'failure')} again
        </button>
      ) : null}
      {ownName === undefined ? null : (
        <button type="button" onClick={() => assign(ownName)}>
          Assign to me
        </button>
      )}
      <button type="button" onClick={() => setIsAssigning(true)}>
        Assign…
      </button>
      {isAssigning ? (
        <AssignFailures
          count={failures.length}
          onAssign={(assignee) => {
            setIsAssigning(false);
            assign(assignee);
          }}
          onClose={() => setIsAssigning(false)}
        />
      ) : null}
    </>
  );
}

type AssignFailuresProps = {
  readonly count: number;
  readonly onAssign: (assignee: string | null) => void;
  readonly onClose: () => void;
};

function AssignFailures({ count, onAssign, onClose }: AssignFailuresProps) {
  const [assignee, setAssignee] = useState('');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onAssign(assignee.trim() || null);
  };
  return (
    <Dialog title={`Assign ${formatCount(count, 'failure')}`} onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Assigned to"
          hint="A name as your team knows it. Empty: nobody."
          data-first
          maxLength={maxAssigneeLength}
          autoComplete="off"
          value={assignee}
          onChange={({ target }) => setAssignee(target.value)}
        />
        <DialogActions onClose={onClose}>Assign</DialogActions>
      </form>
    </Dialog>
  );
}
