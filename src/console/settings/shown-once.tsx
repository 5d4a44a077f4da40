import { useState } from 'react';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';

type ShownOnceProps = {
  readonly title: string;
  readonly secret: string;
  readonly hint: string;
  readonly onClose: () => void;
};

/** A secret that will never be shown again; leaving asks whether it was copied. */
export function ShownOnce({ title, secret, hint, onClose }: ShownOnceProps) {
  const [copied, setCopied] = useState(false);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>It is shown this once. {hint}</p>
      <p className="secret">
        <code>{secret}</code> <CopyButton text={secret} />
      </p>
      <footer className="dialog-foot">
        <label>
          <input type="checkbox" checked={copied} onChange={(event) => setCopied(event.target.checked)} /> I have copied
          it
        </label>
        <button type="button" className="strong" disabled={!copied} onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
