import type { HubConnection } from '../../../contract/hubs/hubs-api.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { isUrlKind } from './connection-draft.ts';
import { protocolLabels } from './protocol-field.tsx';

const credentialLabels: Readonly<Record<HubConnection['credential']['kind'], string>> = {
  none: 'none',
  header: 'header',
  oauth: 'OAuth',
};

export function ConnectionFacts({ connection }: { connection: HubConnection }) {
  const { kind, credential, protocol } = connection;
  return (
    <dl className="facts-list">
      <dt>{isUrlKind(kind) ? 'URL' : kind === 'stdio' ? 'Command' : 'Target'}</dt>
      <dd>
        {kind === 'memory' ? 'the memory of this control plane' : <code>{connection.url ?? connection.command}</code>}
        {kind === 'sse' ? <span className="faint"> (HTTP with SSE)</span> : null}
      </dd>
      {isUrlKind(kind) ? (
        <>
          <dt>Credential</dt>
          <dd>
            {credentialLabels[credential.kind]}
            {credential.kind === 'header' ? <code> {credential.header}</code> : null}
            {credential.kind === 'oauth' ? (
              <>
                {credential.sharing === 'per_user' ? ', one per person' : ', shared by the hub'}
                {credential.client_id === null ? null : (
                  <>
                    , as <code>{credential.client_id}</code>
                    {credential.has_client_secret ? ' with a secret' : null}
                  </>
                )}
                {credential.scope === null ? null : (
                  <>
                    , scope <code>{credential.scope}</code>
                  </>
                )}
              </>
            ) : null}
          </dd>
        </>
      ) : null}
      {protocol === 'auto' ? null : (
        <>
          <dt>Protocol</dt>
          <dd>{protocolLabels[protocol]}</dd>
        </>
      )}
      <dt>Added</dt>
      <dd>
        <RelativeTime timestamp={connection.created_at} /> by {connection.created_by}
      </dd>
    </dl>
  );
}
