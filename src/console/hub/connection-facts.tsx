import type { HubConnection } from '../../contract/hub-api.ts';
import { Ago } from '../parts/ago.tsx';
import { hasUrl } from './connection-draft.ts';

const credentials: Readonly<Record<HubConnection['credential']['kind'], string>> = {
  none: 'none',
  header: 'the header',
  oauth: 'OAuth',
};

/** Where a connection leads, by what it is let in there, and who made it. */
export function ConnectionFacts({ connection }: { connection: HubConnection }) {
  const { kind, credential } = connection;
  return (
    <dl className="facts-list">
      <dt>{hasUrl(kind) ? 'URL' : kind === 'stdio' ? 'Command' : 'Leads to'}</dt>
      <dd>
        {kind === 'memory' ? 'the memory of this control plane' : <code>{connection.url ?? connection.command}</code>}
        {kind === 'sse' ? <span className="faint"> (HTTP with SSE)</span> : null}
      </dd>
      {hasUrl(kind) ? (
        <>
          <dt>Credential</dt>
          <dd>
            {credentials[credential.kind]}
            {credential.kind === 'header' ? <code> {credential.header}</code> : null}
            {credential.kind === 'oauth' ? (
              <>
                {credential.sharing === 'per_user' ? ', for each person their own' : ', one for the hub'}
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
      <dt>Added</dt>
      <dd>
        <Ago at={connection.created_at} /> by {connection.created_by}
      </dd>
    </dl>
  );
}
