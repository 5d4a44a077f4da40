import { useState } from 'react';
import type { HubConnection } from '../../contract/hub-api.ts';
import { Ago } from '../parts/ago.tsx';
import { ConfirmTyped } from '../parts/confirm-typed.tsx';
import { Mark } from '../parts/mark.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import type { Look } from '../words/look.ts';
import { ConnectionDialog } from './connection-dialog.tsx';
import { ConnectionFacts } from './connection-facts.tsx';
import { ConnectionSignIn } from './connection-sign-in.tsx';
import { ProbeView } from './probe-view.tsx';
import { useChange } from './use-change.ts';

const states: Readonly<Record<HubConnection['state'], readonly [Look, string]>> = {
  untried: ['queued', 'not tried yet'],
  connected: ['passed', 'connected'],
  failing: ['failed', 'failing'],
  needs_sign_in: ['broken', 'needs a sign-in'],
};

type CardProps = { readonly hub: string; readonly connection: HubConnection; readonly mayChange: boolean };

/** One connection, with what its server last answered. */
export function ConnectionCard({ hub, connection, mayChange }: CardProps) {
  const { name, enabled, warning } = connection;
  const [look, words] = enabled ? states[connection.state] : (['cancelled', 'switched off'] as const);
  const sign = enabled ? connection.sign_in : null;
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
      {enabled && connection.last_error !== null && !sign?.needed ? <LastError connection={connection} /> : null}
      {enabled && warning !== null ? (
        <p className="help">
          <span>{warning}</span>
        </p>
      ) : null}
      {sign === null ? null : <ConnectionSignIn hub={hub} connection={connection} sign={sign} mayChange={mayChange} />}
      <ConnectionFacts connection={connection} />
      {mayChange ? <Changes hub={hub} connection={connection} /> : null}
    </section>
  );
}

/** Of the last real call. */
function LastError({ connection: { last_error: error, state } }: Pick<CardProps, 'connection'>) {
  return (
    <p className="help" role="status">
      <span>
        {error}{' '}
        <span className="faint">
          {state === 'needs_sign_in'
            ? 'Give it another credential: Edit.'
            : 'It is tried again with the next call; Check now tries at once and says what to do.'}
        </span>
      </span>
    </p>
  );
}

function Changes({ hub, connection }: { hub: string; connection: HubConnection }) {
  const { hubs, hubConnect } = useConnection();
  const [doing, setDoing] = useState<'edit' | 'remove'>();
  const { connection_id: id, name, enabled } = connection;
  const toggle = useChange('hub-connections', () => hubs.changeConnection(hub, id, { enabled: !enabled }));
  const remove = useChange('hub-connections', () => hubs.removeConnection(hub, id));
  const check = useChange('hub-connections', () => hubConnect.probeConnection(hub, id));
  const error = toggle.error ?? remove.error ?? check.error;
  const close = (): void => setDoing(undefined);
  return (
    <>
      <footer className="actions">
        <button type="button" disabled={check.isPending || !enabled} onClick={() => check.mutate()}>
          {check.isPending ? 'Checking…' : 'Check now'}
        </button>
        <button type="button" disabled={toggle.isPending} onClick={() => toggle.mutate()}>
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
      {check.data ? <ProbeView probed={check.data} /> : null}
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
