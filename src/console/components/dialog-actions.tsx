import type { ReactNode } from 'react';

type DialogActionsProps = {
  readonly onClose: () => void;
  /** Without it the button submits the form around it. */
  readonly onConfirm?: () => void;
  readonly isPending?: boolean;
  /** Stands on the button while it is pending, for what takes long enough to be read. */
  readonly pendingLabel?: string;
  readonly isDisabled?: boolean;
  readonly isDestructive?: boolean;
  /** The verb on the button. */
  readonly children: ReactNode;
};

/** The foot of a dialog: a button that closes it, and the one that does what the dialog is for. */
export function DialogActions(props: DialogActionsProps) {
  const { onClose, onConfirm, isPending = false, pendingLabel, isDisabled = false, isDestructive, children } = props;
  return (
    <footer className="dialog-foot">
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button
        type={onConfirm ? 'button' : 'submit'}
        className={isDestructive ? 'strong destructive' : 'strong'}
        disabled={isPending || isDisabled}
        onClick={onConfirm}
      >
        {isPending && pendingLabel !== undefined ? pendingLabel : children}
      </button>
    </footer>
  );
}
