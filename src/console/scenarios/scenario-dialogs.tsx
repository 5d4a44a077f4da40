import { type SubmitEvent, useState } from 'react';
import type { ScenarioDocument, ScenarioEntry } from '../../contract/api.ts';
import { Dialog } from '../components/dialog.tsx';
import { DialogActions } from '../components/dialog-actions.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { createDraftStorage, useDraftAccount } from '../drafts/draft-storage.ts';
import { useDeleteScenario, useRenameScenario } from './use-scenario-changes.ts';

type ScenarioDialogProps = {
  readonly instance: string;
  readonly entry: Pick<ScenarioEntry, 'scenario_id' | 'revision'>;
  readonly onClose: () => void;
};

/** Unsaved changes follow the scenario; their ID is reported with a fix. */
function moveDraft(account: string, instance: string, id: string, renamed: ScenarioDocument): void {
  const storage = createDraftStorage(account, ['scenario', instance, id]);
  const draft = storage.read();
  const target = createDraftStorage(account, ['scenario', instance, renamed.scenario_id]);
  if (draft && target.write(draft.text, renamed.revision)) storage.remove();
}

/** `onRenamed` gets the new ID. */
export function RenameScenario({
  instance,
  entry: { scenario_id: id, revision },
  onClose,
  onRenamed,
}: ScenarioDialogProps & { readonly onRenamed?: (newId: string) => void }) {
  const [newId, setNewId] = useState(id);
  const rename = useRenameScenario(instance);
  const account = useDraftAccount();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const onSuccess = (renamed: ScenarioDocument): void => {
      moveDraft(account, instance, id, renamed);
      onClose();
      onRenamed?.(newId);
    };
    rename.mutate({ id, newId, revision }, { onSuccess });
  };
  return (
    <Dialog title={`Rename ${id}`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>The ID in the text changes too, as a new revision. Revisions and runs stay, and are found under both IDs.</p>
        <Field
          label="New ID"
          hint="Letters, digits, . _ and -, at most 100, with a letter or digit first."
          data-first
          required
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,99}"
          autoComplete="off"
          spellCheck={false}
          value={newId}
          onChange={({ target }) => setNewId(target.value)}
        />
        {rename.error ? <ErrorNotice error={rename.error} /> : null}
        <DialogActions
          onClose={onClose}
          isPending={rename.isPending}
          pendingLabel="Renaming…"
          isDisabled={newId === id || newId === ''}
        >
          Rename
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Deleting can be undone, so nothing has to be typed. */
export function DeleteScenario({
  instance,
  entry: { scenario_id: id, revision },
  onClose,
  onDeleted,
}: ScenarioDialogProps & { readonly onDeleted?: () => void }) {
  const remove = useDeleteScenario(instance);
  const confirm = (): void =>
    remove.mutate(
      { id, revision },
      {
        onSuccess: () => {
          onClose();
          onDeleted?.();
        },
      },
    );
  return (
    <Dialog title={`Delete ${id}`} onClose={onClose}>
      <p>
        It leaves the catalogue and runs no longer. Its {revision === 1 ? 'revision' : `${revision} revisions`} and its
        runs stay, and it can be restored under Deleted.
      </p>
      {remove.error ? <ErrorNotice error={remove.error} /> : null}
      <DialogActions
        onClose={onClose}
        onConfirm={confirm}
        isPending={remove.isPending}
        pendingLabel="Deleting…"
        isDestructive
      >
        Delete scenario
      </DialogActions>
    </Dialog>
  );
}
