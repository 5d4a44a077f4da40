/** Credentials for upstream servers: how they are stored, displayed and unsealed. */
import type { ConnectionCredentialInput, HubConnection } from '../../contract/hubs/hubs-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { seal, unseal } from '../../secrets/sealing.ts';
import type { ConnectionFields, ConnectionRow } from '../../store/control/hubs/connections.ts';
import type { HubContext } from '../context.ts';
import type { ConnectionCredential, UpstreamConnection } from './connection.ts';
import { assertHeader } from './validation.ts';

export type CredentialColumns = Pick<
  ConnectionFields,
  'credential' | 'header' | 'sharing' | 'client_id' | 'scope' | 'sealed'
>;

const noCredential: CredentialColumns = {
  credential: 'none',
  header: null,
  sharing: null,
  client_id: null,
  scope: null,
  sealed: null,
};

type SealingKeys = Pick<HubContext, 'keys' | 'random'>;

function credentialSealContext(id: string): string {
  return `hub_connections/sealed/${id}`;
}

function sealSecret({ keys, random }: SealingKeys, id: string, secret: string): Uint8Array {
  return seal(keys.dataKey, credentialSealContext(id), Buffer.from(secret), random);
}

/** Throws CONNECTION_INVALID. */
export function toCredentialColumns(
  keys: SealingKeys,
  id: string,
  write: ConnectionCredentialInput,
): CredentialColumns {
  if (write.kind === 'none') return noCredential;
  if (write.kind === 'header') {
    assertHeader(write.header, write.value);
    return { ...noCredential, credential: 'header', header: write.header, sealed: sealSecret(keys, id, write.value) };
  }
  const { sharing, client_id: clientId, client_secret: secret, scope } = write;
  if (secret !== undefined && clientId === undefined)
    throw vpError('CONNECTION_INVALID', {
      problem: 'the client secret has no client id',
      cure: 'enter both as issued by the upstream’s authorization server, or neither to let the hub register itself',
    });
  return {
    ...noCredential,
    credential: 'oauth',
    sharing,
    client_id: clientId ?? null,
    scope: scope ?? null,
    sealed: secret === undefined ? null : sealSecret(keys, id, secret),
  };
}

/** The unsealed header value or client secret of a connection. */
export function unsealConnectionSecret(
  { keys }: Pick<HubContext, 'keys'>,
  id: string,
  sealedSecret: Uint8Array,
): string {
  const plaintext = unseal(keys.dataKey, credentialSealContext(id), sealedSecret);
  if (plaintext) return Buffer.from(plaintext).toString();
  throw vpError('INTERNAL', {}, { detail: `the stored credential of connection ${id} is not sealed for it` });
}

/** The credential without its secret. */
export function toCredentialView(row: ConnectionRow): HubConnection['credential'] {
  if (row.credential === 'header') return { kind: 'header', header: row.header ?? '' };
  if (row.credential === 'none') return { kind: 'none' };
  const { client_id, scope } = row;
  return { kind: 'oauth', sharing: row.sharing ?? 'shared', client_id, has_client_secret: row.has_secret === 1, scope };
}

function toConnectionCredential(row: ConnectionRow): ConnectionCredential {
  if (row.credential === 'header') return { kind: 'header', header: row.header ?? '' };
  if (row.credential === 'none') return { kind: 'none' };
  const { client_id: clientId, scope } = row;
  const sharing = row.sharing ?? 'shared';
  return { kind: 'oauth', sharing, clientId: clientId ?? undefined, scope: scope ?? undefined };
}

export function toUpstreamConnection(row: ConnectionRow): UpstreamConnection {
  return {
    id: row.id,
    hubId: row.hub_id,
    name: row.name,
    kind: row.kind,
    url: row.url ?? undefined,
    command: row.command ?? undefined,
    credential: toConnectionCredential(row),
    protocol: row.protocol,
    enabled: row.enabled === 1,
    state: row.state,
    lastError: row.last_error ?? undefined,
    revision: row.revision,
  };
}
