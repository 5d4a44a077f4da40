/** Makes the changes of a plan one by one, and says for each whether it was made. */
import type { Client } from '../../../client/client.ts';
import type { HubFile, HubFileConnection } from '../../../contract/hubs/hub-file.ts';
import type { ConnectionCredentialInput } from '../../../contract/hubs/hubs-api.ts';
import { toVpError, type VpError, vpError } from '../../../errors/vp-error.ts';
import { getSecretReference } from './file-rules.ts';
import type { HubState } from './hub-state.ts';
import { type HubChange, needsCredential } from './plan-changes.ts';
import type { SecretReader } from './secret-references.ts';

export type ChangeResult = {
  readonly change: HubChange;
  readonly outcome: 'done' | 'failed' | 'not_attempted';
  readonly error: VpError | undefined;
};

export type ApplyContext = {
  readonly client: Client;
  readonly file: HubFile;
  readonly state: HubState | undefined;
  /** Ids of accounts by email in lower case. */
  readonly personIds: ReadonlyMap<string, string>;
  /** Values by the name of the connection. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly acceptsUnknownNames: boolean;
};

/** Everything that the changes need, before the first one is made. Throws HUB_SECRET_UNREADABLE, STORE_KEY_*. */
export async function readSecrets(
  changes: readonly HubChange[],
  readSecret: SecretReader,
): Promise<ReadonlyMap<string, string>> {
  const secrets = new Map<string, string>();
  for (const change of changes) {
    if (change.kind !== 'connect' && change.kind !== 'change_connection') continue;
    const { name, credential } = change.connection;
    const reference = getSecretReference(credential);
    if (reference !== undefined) secrets.set(name, await readSecret(name, reference));
  }
  return secrets;
}

/** Stops at the first change that fails. Never rejects. */
export async function applyChanges(context: ApplyContext, changes: readonly HubChange[]): Promise<ChangeResult[]> {
  const results: ChangeResult[] = [];
  let failed = false;
  for (const change of changes) {
    if (failed) {
      results.push({ change, outcome: 'not_attempted', error: undefined });
      continue;
    }
    try {
      await applyChange(context, change, changes);
      results.push({ change, outcome: 'done', error: undefined });
    } catch (thrown) {
      failed = true;
      results.push({ change, outcome: 'failed', error: toVpError(thrown) });
    }
  }
  return results;
}

async function applyChange(context: ApplyContext, change: HubChange, all: readonly HubChange[]): Promise<unknown> {
  const { client, file, personIds, secrets } = context;
  const { hubs } = client;
  const { slug } = file.hub;
  switch (change.kind) {
    case 'create_hub':
      return hubs.create({ slug, name: change.name });
    case 'change_settings':
      return hubs.update(slug, change.settings);
    case 'remove_member':
      return hubs.removeMember(slug, change.member.person_id);
    case 'add_member':
    case 'change_role':
      return hubs.setMember(slug, requireId(personIds, change.member.email), change.member.role);
    case 'set_policy':
      return setPolicy(context, change.document, all);
    case 'disconnect':
      return hubs.removeConnection(slug, change.connection.connection_id);
    case 'connect':
      return hubs.addConnection(slug, {
        ...pickAddress(change.connection),
        name: change.connection.name,
        kind: change.connection.kind,
        credential: toCredentialInput(change.connection, secrets),
      });
    case 'change_connection': {
      const { connection, before } = change;
      const sendsCredential = needsCredential(connection, before) || secrets.has(connection.name);
      return hubs.updateConnection(slug, before.connection_id, {
        ...pickAddress(connection),
        ...(sendsCredential ? { credential: toCredentialInput(connection, secrets) } : {}),
      });
    }
  }
}

function requireId(personIds: ReadonlyMap<string, string>, email: string): string {
  const id = personIds.get(email.toLowerCase());
  if (id === undefined) throw vpError('PERSON_UNKNOWN', {});
  return id;
}

function pickAddress({ url, command, enabled = true, protocol = 'auto' }: HubFileConnection) {
  return { enabled, protocol, ...(url === undefined ? {} : { url }), ...(command === undefined ? {} : { command }) };
}

function toCredentialInput(
  { name, credential }: HubFileConnection,
  secrets: ReadonlyMap<string, string>,
): ConnectionCredentialInput {
  if (!credential || credential.kind === 'none') return { kind: 'none' };
  const secret = secrets.get(name);
  if (credential.kind === 'header') return { kind: 'header', header: credential.header, value: secret ?? '' };
  const { client_secret: _reference, ...rest } = credential;
  return { ...rest, ...(secret === undefined ? {} : { client_secret: secret }) };
}

/** Connections that are created after it are not known yet; what names them is accepted. */
async function setPolicy(
  { client, file, state, acceptsUnknownNames }: ApplyContext,
  document: NonNullable<HubFile['policy']>,
  all: readonly HubChange[],
): Promise<unknown> {
  const connects = all.some(({ kind }) => kind === 'connect');
  return client.hubPolicy.setPolicy(file.hub.slug, {
    document,
    if_revision: state?.policy.revision ?? 0,
    ...(acceptsUnknownNames || connects ? { accept_unknown_tools: true } : {}),
    ...(acceptsUnknownNames ? { accept_unknown_callers: true } : {}),
  });
}
