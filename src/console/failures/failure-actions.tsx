import { type SubmitEvent, useState } from 'react';
import { maxAssigneeLength, maxFailureNoteLength } from '../../contract/failure-limits.ts';
import type { FailureDocument } from '../../contract/failures-api.ts';
import { Dialog } from '../components/dialog.tsx';
import { DialogActions } from '../components/dialog-actions.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { TextAreaField } from '../components/text-area-field.tsx';
import { useWhoami } from '../session/use-session.ts';
import { useChangeFailure } from './use-failures.ts';

type FailureActionsProps = { readonly instance: string; readonly failure: FailureDocument };

/** Resolve or open again, and who looks after it. Everything can be undone, so nothing has to be confirmed. */
export function FailureActions({ instance, failure }: FailureActionsProps) {
  const change = useChangeFailure(instance, failure.failure_id);
  const [isEditing, setIsEditing] = useState(false);
  const whoami = useWhoami();
  const ownName = whoami?.person?.name;
  const isOpen = failure.state === 'open';
  return (
    <section aria-label="Actions">
      {change.error && !isEditing ? <ErrorNotice error={change.error} /> : null}
      <div className="bar">
        <button
          type="button"
          className="strong"
          disabled={change.isPending}
          onClick={() => change.mutate({ state: isOpen ? 'resolved' : 'open' })}
        >
          {isOpen ? 'Resolve' : 'Open again'}
        </button>
        {ownName === undefined || failure.assignee === ownName ? null : (
          <button type="button" disabled={change.isPending} onClick={() => change.mutate({ assignee: ownName })}>
            Assign to me
          </button>
        )}
        <button type="button" onClick={() => setIsEditing(true)}>
          Assign and note…
        </button>
      </div>
      <p className="hint">A resolved failure opens again by itself when a later run fails in the same way.</p>
      {isEditing ? <FailureDialog instance={instance} failure={failure} onClose={() => setIsEditing(false)} /> : null}
    </section>
  );
}

function FailureDialog({ instance, failure, onClose }: FailureActionsProps & { readonly onClose: () => void }) {
  const change = useChangeFailure(instance, failure.failure_id);
  const [assignee, setAssignee] = useState(failure.assignee ?? '');
  const [note, setNote] = useState(failure.note ?? '');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const input = { assignee: assignee.trim() || null, note: note.trim() || null };
    change.mutate(input, { onSuccess: onClose });
  };
  return (
    <Dialog title={`Failure of ${failure.scenario_id}`} onClose={onClose}>
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
        <TextAreaField
          label="Note"
          value={note}
          rows={[3, 10]}
          maxLength={maxFailureNoteLength}
          onTextChange={setNote}
        />
        {change.error ? <ErrorNotice error={change.error} /> : null}
        <DialogActions onClose={onClose} isPending={change.isPending} pendingLabel="Saving…">
          Save
        </DialogActions>
      </form>
    </Dialog>
  );
}
