/** Credentials towards upstreams: what is kept of one, how it is shown, and how it is opened again. */
import type { ConnectionCredentialWrite, HubConnection } from '../contract/hub-api.ts';
import { vpError } from '../errors/vp-error.ts';
import { seal, unseal } from '../secrets/sealing.ts';
import type { ConnectionRow, ConnectionWrite } from '../store/control/hub-connections.ts';
import { demandHeader } from './connections-rules.ts';
import type { HubContext } from './hubs-context.ts';
import type { Connection, ConnectionCredential } from './words.ts';

/** The columns of a credential. */
export type CredentialColumns = Pick<
  ConnectionWrite,
  'credential' | 'header' | 'sharing' | 'client_id' | 'scope' | 'sealed'
>;

const nothing: CredentialColumns = {
  credential: 'none',
  header: null,
  sharing: null,
  client_id: null,
  scope: null,
  sealed: null,
};

type Keys = Pick<HubContext, 'keys' | 'random'>;

function placeOf(id: string): string {
  return `hub_connections/sealed/${id}`;
}

function sealed({ keys, random }: Keys, id: string, secret: string): Uint8Array {
  return seal(keys.dataKey, placeOf(id), Buffer.from(secret), random);
}

/** The columns of what somebody wrote for the connection `id`. Throws CONNECTION_INVALID. */
export function credentialColumns(keys: Keys, id: string, write: ConnectionCredentialWrite): CredentialColumns {
  if (write.kind === 'none') return nothing;
  if (write.kind === 'header') {
    demandHeader(write.header, write.value);
    return { ...nothing, credential: 'header', header: write.header, sealed: sealed(keys, id, write.value) };
  }
  const { sharing, client_id: clientId, client_secret: secret, scope } = write;
  if (secret !== undefined && clientId === undefined)
    throw vpError('CONNECTION_INVALID', {
      problem: 'a client secret without a client id says nothing',
      cure: 'give both as the upstream’s server told them, or neither: the hub registers itself then',
    });
  return {
    ...nothing,
    credential: 'oauth',
    sharing,
    client_id: clientId ?? null,
    scope: scope ?? null,
    sealed: secret === undefined ? null : sealed(keys, id, secret),
  };
}

/** The sealed value or client secret of a connection. */
export function openSecret({ keys }: Pick<HubContext, 'keys'>, id: string, value: Uint8Array): string {
  const plain = unseal(keys.dataKey, placeOf(id), value);
  if (plain) return Buffer.from(plain).toString();
  throw vpError('INTERNAL', {}, { detail: `the credential of connection ${id} was not sealed for it` });
}

/** As people see it. */
export function shownCredential(row: ConnectionRow): HubConnection['credential'] {
  if (row.credential === 'header') return { kind: 'header', header: row.header ?? '' };
  if (row.credential === 'none') return { kind: 'none' };
  const { client_id, scope } = row;
  return { kind: 'oauth', sharing: row.sharing ?? 'shared', client_id, has_client_secret: row.has_secret === 1, scope };
}

function credentialOf(row: ConnectionRow): ConnectionCredential {
  if (row.credential === 'header') return { kind: 'header', header: row.header ?? '' };
  if (row.credential === 'none') return { kind: 'none' };
  const { client_id: clientId, scope } = row;
  const sharing = row.sharing ?? 'shared';
  return { kind: 'oauth', sharing, clientId: clientId ?? undefined, scope: scope ?? undefined };
}

/** As the gateway works with it. */
export function connectionOf(row: ConnectionRow): Connection {
  return {
    id: row.id,
    hubId: row.hub_id,
    name: row.name,
    kind: row.kind,
    url: row.url ?? undefined,
    command: row.command ?? undefined,
    credential: credentialOf(row),
    enabled: row.enabled === 1,
    state: row.state,
    lastError: row.last_error ?? undefined,
    revision: row.revision,
  };
}
