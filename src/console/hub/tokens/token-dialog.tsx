import type { HubTokenWithSecret } from '../../../contract/hubs/hubs-api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { OneTimeDialog } from '../../components/one-time-dialog.tsx';
import { ClientInstructions } from '../clients/client-instructions.tsx';

type TokenDialogProps = {
  readonly secret: HubTokenWithSecret;
  /** Closing then requires a confirmation that the token was copied. */
  readonly isNew?: boolean;
  readonly onClose: () => void;
};

export function TokenDialog({ secret: { hub_token: hubToken, token }, isNew = false, onClose }: TokenDialogProps) {
  return (
    <OneTimeDialog title={`Token ${hubToken.name}`} needsConfirmation={isNew} onClose={onClose}>
      <p>
        {isNew ? 'Copy it now. ' : ''}Anyone who has it can call the tools of {hubToken.hub} in your name.
      </p>
      <p className="secret">
        <code>{token}</code> <CopyButton text={token} label="Copy token" />
      </p>
      <ClientInstructions endpoint={{ name: hubToken.hub, url: `${location.origin}/agent/mcp`, token }} />
    </OneTimeDialog>
  );
}
