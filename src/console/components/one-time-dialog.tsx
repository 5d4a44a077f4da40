import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';

type OneTimeDialogProps = {
  readonly title: string;
  /** `it`, or `them` where there are several. */
  readonly pronoun?: 'it' | 'them';
  /** False for what can be shown again, and so closed at once. */
  readonly needsConfirmation?: boolean;
  readonly children: ReactNode;
  readonly onClose: () => void;
};

/** Shows secrets; it can be closed only after confirming that they were copied. */
export function OneTimeDialog({
  title,
  pronoun = 'it',
  needsConfirmation = true,
  children,
  onClose,
}: OneTimeDialogProps) {
  const [isCopied, setIsCopied] = useState(!needsConfirmation);
  return (
    <Dialog title={title} onClose={onClose} isLocked={!isCopied}>
      {children}
      <footer className="dialog-foot">
        {needsConfirmation ? (
          <label>
            <input type="checkbox" checked={isCopied} onChange={({ target }) => setIsCopied(target.checked)} /> I have
            copied {pronoun}
          </label>
        ) : (
          <span />
        )}
        <button type="button" className="strong" disabled={!isCopied} onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
