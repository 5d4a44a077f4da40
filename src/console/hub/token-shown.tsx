import { useState } from 'react';
import type { HubTokenShown } from '../../contract/hub-api.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ClientSetUp } from './client-set-up.tsx';

type TokenShownProps = {
  readonly shown: HubTokenShown;
  /** Leaving asks whether it was copied. */
  readonly isNew?: boolean;
  readonly onClose: () => void;
};

/** The plaintext of a token, with what clients need of it. */
export function TokenShown({ shown: { hub_token: about, token }, isNew = false, onClose }: TokenShownProps) {
  const [copied, setCopied] = useState(!isNew);
  return (
    <Dialog title={`Token ${about.name}`} onClose={onClose}>
      <p>
        {isNew ? 'Copy it now: it is not shown again by itself. ' : ''}Whoever has it calls the tools of {about.hub} in
        your name.
      </p>
      <p className="secret">
        <code>{token}</code> <CopyButton text={token} label="Copy token" />
      </p>
      <ClientSetUp address={{ name: about.hub, url: `${location.origin}/agent/mcp`, token }} />
      <footer className="dialog-foot">
        {isNew ? (
          <label>
            <input type="checkbox" checked={copied} onChange={({ target }) => setCopied(target.checked)} /> I have
            copied it
          </label>
        ) : (
          <span />
        )}
        <button type="button" className="strong" disabled={!copied} onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
