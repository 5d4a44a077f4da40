/** A connection while it is written, and what is sent of it. */
import type { ConnectionCredentialWrite, HubConnection, HubConnectionNew } from '../../contract/hub-api.ts';

/** Fields as they stand in the form; empty ones are left out of what is sent. */
export type ConnectionDraft = {
  readonly name: string;
  readonly kind: HubConnection['kind'];
  /** URL, or the name of a command. */
  readonly target: string;
  /** `kept`: the one that there is. */
  readonly credential: 'kept' | 'none' | 'header' | 'oauth';
  readonly header: string;
  readonly value: string;
  readonly sharing: 'shared' | 'per_user';
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
};

/** What the form begins with. */
export function draftOf(before: HubConnection | undefined): ConnectionDraft {
  return {
    name: before?.name ?? '',
    kind: before?.kind ?? 'http',
    target: before?.url ?? before?.command ?? '',
    credential: before ? 'kept' : 'none',
    header: 'Authorization',
    value: '',
    sharing: 'shared',
    clientId: '',
    clientSecret: '',
    scope: '',
  };
}

/** What is sent for a new connection; a change is sent without `kind`. */
export function connectionOf(draft: ConnectionDraft): HubConnectionNew {
  const { name, kind, target } = draft;
  const credential = credentialOf(draft);
  return {
    name,
    kind,
    ...(kind === 'stdio' ? { command: target } : { url: target }),
    ...(credential && kind !== 'stdio' ? { credential } : {}),
  };
}

function credentialOf(draft: ConnectionDraft): ConnectionCredentialWrite | undefined {
  const { credential: kind, header, value, sharing, clientId, clientSecret, scope } = draft;
  if (kind === 'kept') return undefined;
  if (kind === 'none') return { kind };
  if (kind === 'header') return { kind, header, value };
  return {
    kind,
    sharing,
    ...(clientId === '' ? {} : { client_id: clientId }),
    ...(clientSecret === '' ? {} : { client_secret: clientSecret }),
    ...(scope === '' ? {} : { scope }),
  };
}
