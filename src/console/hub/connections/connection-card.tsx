import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { HubConnectionProbeResult } from '../../../contract/hubs/connection-use-api.ts';
import type { HubConnection } from '../../../contract/hubs/hubs-api.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { useClient } from '../../session/client.ts';
import type { RunStatus } from '../../text/run-status.ts';
import { ConnectionSignIn } from '../sign-in/connection-sign-in.tsx';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';
import { ConnectionFacts } from './connection-facts.tsx';
import { EditConnection } from './edit-connection.tsx';
import { ProbeResultNotice } from './probe-result.tsx';

const stateLabels: Readonly<Record<HubConnection['state'], readonly [RunStatus, string]>> = {
  untried: ['queued', 'not tried yet'],
  connected: ['passed', 'connected'],
  failing: ['failed', 'failing'],
  needs_sign_in: ['broken', 'needs sign-in'],
};

type ConnectionCardProps = { readonly hub: string; readonly connection: HubConnection; readonly mayChange: boolean };

export function ConnectionCard({ hub, connection, mayChange }: ConnectionCardProps) {
  const { name, enabled, warning } = connection;
  const [status, label] = enabled ? stateLabels[connection.state] : (['cancelled', 'disabled'] as const);
  const signInState = enabled ? connection.sign_in : null;
  return (
    <section className="card-box" aria-label={name}>
      <header>
        <h2>{name}</h2>
        <span>
          <StatusIcon status={status} decorative title={label} /> {label}
          {enabled && connection.state !== 'untried' && connection.last_tried_at !== null ? (
            <span className="faint">
              , <RelativeTime timestamp={connection.last_tried_at} />
            </span>
          ) : null}
        </span>
      </header>
      {enabled && connection.last_error !== null && !signInState?.needed ? (
        <LastCallError connection={connection} />
      ) : null}
      {enabled && warning !== null ? (
        <p className="help">
          <span>{warning}</span>
        </p>
      ) : null}
      {signInState === null ? null : (
        <ConnectionSignIn hub={hub} connection={connection} signInState={signInState} mayChange={mayChange} />
      )}
      <ConnectionFacts connection={connection} />
      {mayChange ? <ConnectionActions hub={hub} connection={connection} /> : null}
    </section>
  );
}

function LastCallError({ connection: { last_error: error, state } }: Pick<ConnectionCardProps, 'connection'>) {
  return (
    <p className="help" role="status">
      <span>
        {error}{' '}
        <span className="faint">
          {state === 'needs_sign_in'
            ? 'Choose Edit to replace the credential.'
            : 'The next call retries it. Choose Check now to retry immediately.'}
        </span>
      </span>
    </p>
  );
}

/** What the server offered is not true any more when the connection is disabled or its sign-in is gone. */
function isResultCurrent({ enabled, sign_in: signIn }: HubConnection, { problem }: HubConnectionProbeResult): boolean {
  return enabled && (problem !== null || !signIn?.needed);
}

function ConnectionActions({ hub, connection }: { hub: string; connection: HubConnection }) {
  const { hubs, hubConnectionUse } = useClient();
  const [openDialog, setOpenDialog] = useState<'edit' | 'remove'>();
  const { connection_id: id, name, enabled } = connection;
  const toggle = useInvalidatingMutation('hub-connections', () =>
    hubs.updateConnection(hub, id, { enabled: !enabled }),
  );
  const remove = useInvalidatingMutation('hub-connections', () => hubs.removeConnection(hub, id));
  const queries = useQueryClient();
  const check = useInvalidatingMutation(
    'hub-connections',
    () => hubConnectionUse.probeConnection(hub, id),
    // The hub adopts the lists that the probe has read.
    () => {
      for (const queryKey of ['hub-tools', 'hub-offered']) void queries.invalidateQueries({ queryKey: [queryKey] });
    },
  );
  const error = toggle.error ?? remove.error ?? check.error;
  const close = (): void => setOpenDialog(undefined);
  return (
    <>
      <footer className="actions">
        <button type="button" disabled={check.isPending || !enabled} onClick={() => check.mutate()}>
          {check.isPending ? 'Checking…' : 'Check now'}
        </button>
        <button type="button" disabled={toggle.isPending} onClick={() => toggle.mutate()}>
          {enabled ? 'Disable' : 'Enable'}
        </button>
        <button type="button" onClick={() => setOpenDialog('edit')}>
          Edit…
        </button>
        <button type="button" className="destructive" onClick={() => setOpenDialog('remove')}>
          Remove…
        </button>
      </footer>
      {error ? <ErrorNotice error={error} /> : null}
      {check.data && isResultCurrent(connection, check.data) ? <ProbeResultNotice result={check.data} /> : null}
      {openDialog === 'edit' ? <EditConnection hub={hub} connection={connection} onClose={close} /> : null}
      {openDialog === 'remove' ? (
        <ConfirmDialog
          title={`Remove ${name}`}
          consequence="Its tools are removed from the hub immediately and its credential is deleted. Recorded calls stay in the audit."
          confirmationText={name}
          confirmLabel="Remove"
          isPending={remove.isPending}
          onConfirm={() => remove.mutate(undefined, { onSettled: close })}
          onClose={close}
        />
      ) : null}
    </>
  );
}
