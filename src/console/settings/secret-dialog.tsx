import { useState } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';

type SecretDialogProps = {
  readonly title: string;
  readonly secret: string;
  readonly hint: string;
  readonly onClose: () => void;
};

/** Shows a secret once. It can be closed only after confirming that the secret was copied. */
export function SecretDialog({ title, secret, hint, onClose }: SecretDialogProps) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <Dialog title={title} onClose={onClose} isLocked={!isCopied}>
      <p>It is shown only once. {hint}</p>
      <p className="secret">
        <code>{secret}</code> <CopyButton text={secret} />
      </p>
      <footer className="dialog-foot">
        <label>
          <input type="checkbox" checked={isCopied} onChange={(event) => setIsCopied(event.target.checked)} /> I have
          copied it
        </label>
        <button type="button" className="strong" disabled={!isCopied} onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
