import { useState } from 'react';
import { Dialog } from './dialog.tsx';
import { DialogActions } from './dialog-actions.tsx';
import { Field } from './field.tsx';

type ConfirmDialogProps = {
  readonly title: string;
  /** Says what will be lost. */
  readonly consequence: string;
  readonly confirmationText: string;
  readonly confirmLabel: string;
  readonly isPending: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Confirms a destructive action by asking the user to type `confirmationText`. */
export function ConfirmDialog({
  title,
  consequence,
  confirmationText,
  confirmLabel,
  isPending,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const [typedText, setTypedText] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        <p>{consequence}</p>
        <Field
          data-first
          label={`Type ${confirmationText} to confirm`}
          autoComplete="off"
          spellCheck={false}
          value={typedText}
          onChange={(event) => setTypedText(event.target.value)}
        />
        <DialogActions
          onClose={onClose}
          isPending={isPending}
          isDisabled={typedText !== confirmationText}
          isDestructive
        >
          {confirmLabel}
        </DialogActions>
      </form>
    </Dialog>
  );
}
