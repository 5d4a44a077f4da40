import { useState } from 'react';
import type { HubConnection } from '../../../contract/hubs/hubs-api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { DialogActions } from '../../components/dialog-actions.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useClient } from '../../session/client.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';
import {
  type ConnectionDraft,
  createConnectionDraft,
  hasProtocol,
  isUrlKind,
  toNewConnection,
} from './connection-draft.ts';
import { ConnectionName, ConnectionTarget } from './connection-target.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { ProtocolField } from './protocol-field.tsx';

type EditConnectionProps = { readonly hub: string; readonly connection: HubConnection; readonly onClose: () => void };

export function EditConnection({ hub, connection, onClose }: EditConnectionProps) {
  const { hubs } = useClient();
  const [draft, setDraft] = useState(() => createConnectionDraft(connection));
  // The list is read again while the dialog is open.
  const [revision] = useState(connection.revision);
  const update = (part: Partial<ConnectionDraft>): void => setDraft({ ...draft, ...part });
  const save = useInvalidatingMutation(
    'hub-connections',
    () => {
      const { kind: _, ...rest } = toNewConnection(draft);
      const protocol = hasProtocol(draft.kind) ? { protocol: draft.protocol } : {};
      return hubs.updateConnection(hub, connection.connection_id, {
        ...rest,
        ...protocol,
        if_revision: revision,
      });
    },
    onClose,
  );
  return (
    <Dialog title={`Edit ${connection.name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <ConnectionTarget hub={hub} draft={draft} onChange={update} isNew={false} />
        <ConnectionName draft={draft} onChange={update} isNew={false} isRequired />
        {isUrlKind(draft.kind) ? <CredentialFields draft={draft} onChange={update} isNew={false} /> : null}
        {hasProtocol(draft.kind) ? <ProtocolField draft={draft} onChange={update} /> : null}
        {save.error ? <ErrorNotice error={save.error} /> : null}
        <DialogActions onClose={onClose} isPending={save.isPending}>
          Save
        </DialogActions>
      </form>
    </Dialog>
  );
}
