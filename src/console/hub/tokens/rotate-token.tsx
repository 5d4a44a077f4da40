import { useState } from 'react';
import type { HubToken } from '../../../contract/hubs/hubs-api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { DialogActions } from '../../components/dialog-actions.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Select } from '../../components/select.tsx';
import { useClient } from '../../session/client.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';
import { TokenDialog } from './token-dialog.tsx';

const gracePeriods = [
  ['0', 'immediately'],
  ['3600', 'after 1 hour'],
  ['86400', 'after 24 hours'],
] as const;

/** Replaces the secret of a token. The old secret can stay valid for a grace period. */
export function RotateToken({ token }: { token: HubToken }) {
  const { hubs } = useClient();
  const [isOpen, setIsOpen] = useState(false);
  const [grace, setGrace] = useState<(typeof gracePeriods)[number][0]>('0');
  const rotate = useInvalidatingMutation(
    'hub-tokens',
    () => hubs.rotateToken(token.token_id, { grace_seconds: Number(grace) }),
    () => {
      setIsOpen(false);
      setGrace('0');
    },
  );
  return (
    <>
      <button type="button" className="small" onClick={() => setIsOpen(true)}>
        Rotate…<span className="visually-hidden"> {token.name}</span>
      </button>
      {isOpen ? (
        <Dialog title={`Rotate ${token.name}`} onClose={() => setIsOpen(false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              rotate.mutate();
            }}
          >
            <p>A new token is issued under this name. {formatExpiry(token)} Replace the old one wherever it is used.</p>
            <Select label="Old token expires" value={grace} options={gracePeriods} onSelect={setGrace} />
            {rotate.error ? <ErrorNotice error={rotate.error} /> : null}
            <DialogActions onClose={() => setIsOpen(false)} isPending={rotate.isPending}>
              Rotate
            </DialogActions>
          </form>
        </Dialog>
      ) : null}
      {rotate.data ? <TokenDialog secret={rotate.data} isNew onClose={rotate.reset} /> : null}
    </>
  );
}

function formatExpiry({ expiry }: HubToken): string {
  return expiry === 'No expiration' ? 'It does not expire.' : `It expires ${expiry} from now.`;
}
