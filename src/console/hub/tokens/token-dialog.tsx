import { useState } from 'react';
import type { HubTokenWithSecret } from '../../../contract/hubs/hubs-api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ClientInstructions } from '../clients/client-instructions.tsx';

type TokenDialogProps = {
  readonly secret: HubTokenWithSecret;
  /** Closing then requires a confirmation that the token was copied. */
  readonly isNew?: boolean;
  readonly onClose: () => void;
};

export function TokenDialog({ secret: { hub_token: hubToken, token }, isNew = false, onClose }: TokenDialogProps) {
  const [isCopied, setIsCopied] = useState(!isNew);
  return (
    <Dialog title={`Token ${hubToken.name}`} onClose={onClose} isLocked={!isCopied}>
      <p>
        {isNew ? 'Copy it now. ' : ''}Anyone who has it can call the tools of {hubToken.hub} in your name.
      </p>
      <p className="secret">
        <code>{token}</code> <CopyButton text={token} label="Copy token" />
      </p>
      <ClientInstructions endpoint={{ name: hubToken.hub, url: `${location.origin}/agent/mcp`, token }} />
      <footer className="dialog-foot">
        {isNew ? (
          <label>
            <input type="checkbox" checked={isCopied} onChange={({ target }) => setIsCopied(target.checked)} /> I have
            copied it
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
