import { useState } from 'react';
import type { HubConnection } from '../../contract/hub-api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { type ConnectionDraft, connectionOf, draftOf, hasUrl } from './connection-draft.ts';
import { ConnectionName, ConnectionTarget } from './connection-target.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { useChange } from './use-change.ts';

type DialogProps = { readonly hub: string; readonly before: HubConnection; readonly onClose: () => void };

/** Changes a connection. */
export function ConnectionDialog({ hub, before, onClose }: DialogProps) {
  const { hubs } = useConnection();
  const [draft, setDraft] = useState(() => draftOf(before));
  const set = (part: Partial<ConnectionDraft>): void => setDraft({ ...draft, ...part });
  const save = useChange(
    'hub-connections',
    () => {
      const { kind: _, ...rest } = connectionOf(draft);
      return hubs.changeConnection(hub, before.connection_id, rest);
    },
    onClose,
  );
  return (
    <Dialog title={`Edit ${before.name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <ConnectionTarget hub={hub} draft={draft} set={set} isNew={false} />
        <ConnectionName draft={draft} set={set} isNew={false} isNeeded />
        {hasUrl(draft.kind) ? <CredentialFields draft={draft} set={set} isNew={false} /> : null}
        {save.error ? <Problem error={save.error} /> : null}
        <footer className="dialog-foot">
          <button type="button" onClick={onClose}>
            Keep as it was
          </button>
          <button type="submit" className="strong" disabled={save.isPending}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
