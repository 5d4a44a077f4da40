import { useState } from 'react';
import type { HubConnection } from '../../contract/hub-api.ts';
import { Ago } from '../parts/ago.tsx';
import { Mark } from '../parts/mark.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { ConfirmTyped } from '../settings/confirm-typed.tsx';
import type { Look } from '../words/look.ts';
import { ConnectionDialog } from './connection-dialog.tsx';
import { useChange } from './use-change.ts';

const states: Readonly<Record<HubConnection['state'], readonly [Look, string]>> = {
  untried: ['queued', 'not tried yet'],
  connected: ['passed', 'connected'],
  failing: ['failed', 'failing'],
  needs_sign_in: ['broken', 'needs a sign-in'],
};

const credentials: Readonly<Record<HubConnection['credential']['kind'], string>> = {
  none: 'none',
  header: 'a header',
  oauth: 'OAuth',
};

type CardProps = { readonly hub: string; readonly connection: HubConnection; readonly mayChange: boolean };

/** One connection, with what its server last answered. */
export function ConnectionCard({ hub, connection, mayChange }: CardProps) {
  const { name, enabled, credential } = connection;
  const [look, words] = enabled ? states[connection.state] : (['cancelled', 'switched off'] as const);
  return (
    <section className="card-box" aria-label={name}>
      <header>
        <h2>{name}</h2>
        <span>
          <Mark look={look} silent title={words} /> {words}
          {enabled && connection.last_tried_at !== null ? (
            <span className="faint">
              , <Ago at={connection.last_tried_at} />
            </span>
          ) : null}
        </span>
      </header>
      {enabled && connection.last_error !== null ? (
        <p className="help">
          <span>{connection.last_error}</span>
        </p>
      ) : null}
      <dl className="facts-list">
        <dt>{connection.kind === 'stdio' ? 'Command' : 'URL'}</dt>
        <dd>
          <code>{connection.url ?? connection.command}</code>
        </dd>
        <dt>Credential</dt>
        <dd>
          {credentials[credential.kind]}
          {credential.kind === 'header' ? <code> {credential.header}</code> : null}
          {credential.kind === 'oauth' && credential.sharing === 'per_user' ? ', for each person their own' : null}
        </dd>
        <dt>Added</dt>
        <dd>
          <Ago at={connection.created_at} /> by {connection.created_by}
        </dd>
      </dl>
      {mayChange ? <Changes hub={hub} connection={connection} /> : null}
    </section>
  );
}

function Changes({ hub, connection }: { hub: string; connection: HubConnection }) {
  const { hubs } = useConnection();
  const [doing, setDoing] = useState<'edit' | 'remove'>();
  const { connection_id: id, name, enabled } = connection;
  const toggle = useChange('hub-connections', () => hubs.changeConnection(hub, id, { enabled: !enabled }));
  const remove = useChange('hub-connections', () => hubs.removeConnection(hub, id));
  const error = toggle.error ?? remove.error;
  const close = (): void => setDoing(undefined);
  return (
    <>
      <footer className="actions">
        <button type="button" disabled={toggle.isPending} onClick={() => toggle.mutate(undefined)}>
          {enabled ? 'Switch off' : 'Switch on'}
        </button>
        <button type="button" onClick={() => setDoing('edit')}>
          Edit…
        </button>
        <button type="button" onClick={() => setDoing('remove')}>
          Remove…
        </button>
      </footer>
      {error ? <Problem error={error} /> : null}
      {doing === 'edit' ? <ConnectionDialog hub={hub} before={connection} onClose={close} /> : null}
      {doing === 'remove' ? (
        <ConfirmTyped
          title={`Remove ${name}`}
          loss="Its tools leave the hub at once, and its credential is deleted. What was called stays in the audit."
          word={name}
          action="Remove it"
          pending={remove.isPending}
          onConfirm={() => remove.mutate(undefined, { onSettled: close })}
          onClose={close}
        />
      ) : null}
    </>
  );
}
