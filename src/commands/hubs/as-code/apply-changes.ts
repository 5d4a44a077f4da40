/** Makes the changes of a plan, all or none. */
import type { Client } from '../../../client/client.ts';
import type { HubChangeRequest } from '../../../contract/hubs/hub-changes-api.ts';
import type { HubFile, HubFileConnection } from '../../../contract/hubs/hub-file.ts';
import type { ConnectionCredentialInput } from '../../../contract/hubs/hubs-api.ts';
import type { UpdateHubPolicyRequest } from '../../../contract/hubs/policy-api.ts';
import { VpError, vpError } from '../../../errors/vp-error.ts';
import { getSecretReference } from './file-rules.ts';
import type { HubState } from './hub-state.ts';
import { type HubChange, needsCredential } from './plan-changes.ts';
import type { SecretReader } from './secret-references.ts';

export type ChangeResult = {
  readonly change: HubChange;
  readonly outcome: 'done' | 'refused' | 'not_made';
  readonly error: ChangeError | undefined;
};

export type ChangeError = { readonly code: string; readonly message: string; readonly cure: string };

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

/** `revision` is that of the hub right after the changes; undefined if none were made. */
export type AppliedChanges = { readonly results: readonly ChangeResult[]; readonly revision: string | undefined };

/**
 * In one request: all changes are made, or none, and none unless the hub is still the one that they were planned for. Rejects with what is
 * not about one of the changes, such as a lost connection. Throws HUB_CHANGED.
 */
export async function applyChanges(context: ApplyContext, changes: readonly HubChange[]): Promise<AppliedChanges> {
  const { client, file, state } = context;
  try {
    const { hub } = await client.hubs.makeChanges(file.hub.slug, {
      ...(state ? { if_revision: state.hub.revision } : {}),
      changes: changes.map((change) => toRequest(context, change, changes)),
    });
    const results = changes.map((change): ChangeResult => ({ change, outcome: 'done', error: undefined }));
    return { results, revision: hub.revision };
  } catch (thrown) {
    const refused = findRefusedChange(thrown);
    if (!refused) throw thrown;
    const results = changes.map(
      (change, index): ChangeResult =>
        index === refused.position
          ? { change, outcome: 'refused', error: refused }
          : { change, outcome: 'not_made', error: undefined },
    );
    return { results, revision: undefined };
  }
}

function findRefusedChange(thrown: unknown): (ChangeError & { readonly position: number }) | undefined {
  if (!(thrown instanceof VpError) || thrown.code !== 'HUB_CHANGE_REFUSED') return undefined;
  const { position, code, message, cure } = Object(thrown.diagnostics[0]);
  if (typeof position !== 'number') return undefined;
  return { position, code: String(code), message: String(message), cure: String(cure) };
}

function toRequest(context: ApplyContext, change: HubChange, all: readonly HubChange[]): HubChangeRequest {
  const { personIds, secrets } = context;
  switch (change.kind) {
    case 'create_hub':
      return { kind: 'create_hub', name: change.name };
    case 'change_settings':
      return { kind: 'change_settings', settings: change.settings };
    case 'remove_member':
      return { kind: 'remove_member', person_id: change.member.person_id };
    case 'add_member':
    case 'change_role':
      return { kind: 'set_member', person_id: requireId(personIds, change.member.email), role: change.member.role };
    case 'set_policy':
      return { kind: 'set_policy', policy: toPolicyRequest(context, change.document, all) };
    case 'disconnect':
      return { kind: 'remove_connection', connection_id: change.connection.connection_id };
    case 'connect': {
      const { name, kind } = change.connection;
      const credential = toCredentialInput(change.connection, secrets);
      return { kind: 'add_connection', connection: { ...pickAddress(change.connection), name, kind, credential } };
    }
    case 'change_connection': {
      const { connection, before } = change;
      const sendsCredential = needsCredential(connection, before) || secrets.has(connection.name);
      return {
        kind: 'change_connection',
        connection_id: before.connection_id,
        connection: {
          ...pickAddress(connection),
          ...(sendsCredential ? { credential: toCredentialInput(connection, secrets) } : {}),
          if_revision: before.revision,
        },
      };
    }
  }
}

function requireId(personIds: ReadonlyMap<string, string>, email: string): string {
  const id = personIds.get(email.toLowerCase());
  if (id === undefined) throw vpError('PERSON_UNKNOWN', { person: email });
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
function toPolicyRequest(
  { state, acceptsUnknownNames }: ApplyContext,
  document: NonNullable<HubFile['policy']>,
  all: readonly HubChange[],
): UpdateHubPolicyRequest {
  const connects = all.some(({ kind }) => kind === 'connect');
  return {
    document,
    if_revision: state?.policy.revision ?? 0,
    ...(acceptsUnknownNames || connects ? { accept_unknown_tools: true } : {}),
    ...(acceptsUnknownNames ? { accept_unknown_callers: true } : {}),
  };
}
