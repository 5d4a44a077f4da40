/** Access to connections for probing, manual calls and sign-ins. */

import type { ProbeHubConnectionRequest } from '../../contract/hubs/connection-use-api.ts';
import type { CreateHubConnectionRequest } from '../../contract/hubs/hubs-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { findConnection, updateConnectionState } from '../../store/control/hubs/connections.ts';
import type { Sql } from '../../store/sql.ts';
import { authorizeInHub, type HubAction, type HubMembership } from '../access/permissions.ts';
import { createHubId, type HubContext } from '../context.ts';
import type { RemovedSignIn } from '../sign-in/sign-in-revoker.ts';
import type { UpstreamConnection } from './connection.ts';
import { type ConnectionRef, requireConnection } from './connections-service.ts';
import { toCredentialColumns, toUpstreamConnection } from './credential.ts';
import { assertCredentialAllowed, assertProtocolAllowed, resolveConnectionAddress } from './target.ts';

/** A connection that is not stored, with the header that it would send. */
export type DraftConnection = {
  readonly connection: UpstreamConnection;
  readonly header: { readonly name: string; readonly value: string } | undefined;
};

/** Each method throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export type ConnectionAccess = {
  authorize(caller: PersonCaller, slug: string, action: HubAction): Promise<HubMembership>;
  /** Throws what creating the connection would throw, except errors about its name. */
  draft(caller: PersonCaller, slug: string, input: ProbeHubConnectionRequest): Promise<DraftConnection>;
  /** Throws CONNECTION_UNKNOWN. */
  find(connectionRef: ConnectionRef, action: HubAction): Promise<UpstreamConnection>;
  /** Records that a person signed in to a connection or removed a sign-in, and resets its state. */
  recordSignInChange(connection: UpstreamConnection, caller: PersonCaller, event: SignInEvent): Promise<void>;
  /** The server's revocation endpoint is not allowed. */
  logRevocationRefused(connection: UpstreamConnection, caller: PersonCaller, problem: string): void;
  /** Whether the connection is stored as it was read. Throws CONNECTION_REMOVED. */
  isCurrent(connection: UpstreamConnection): Promise<boolean>;
  /** What a check of the stored connection found is its state, like what a call finds. Ignores a connection that has changed. */
  recordProbe(connection: UpstreamConnection, problem: string | undefined): Promise<void>;
  /** Lets listeners revoke removed sign-ins at their servers. */
  notifySignInsRemoved(removed: readonly RemovedSignIn[]): void;
};

/** Names in the security log. */
export type SignInEvent = 'hub_signed_in' | 'hub_sign_in_forgotten';

export function createConnectionAccess(context: HubContext): ConnectionAccess {
  const { database, clock, logSecurityEvent, notifyHubChanged } = context;
  const authorize: ConnectionAccess['authorize'] = (caller, slug, action) =>
    database.read((sql) => authorizeInHub(sql, caller, slug, action));
  return {
    authorize,
    notifySignInsRemoved: context.notifySignInsRemoved,
    logRevocationRefused({ id, hubId, name }, { personId: callerId }, problem) {
      const details = { hub: hubId, connection: id, name, by: callerId, problem };
      logSecurityEvent({ event: 'hub_revocation_endpoint_refused', level: 'warn', ...details });
    },
    find: (connectionRef, action) =>
      database.read((sql) => toUpstreamConnection(requireConnection(sql, connectionRef, action))),
    isCurrent: (connection) =>
      database.read((sql) => {
        if (!findConnection(sql, connection.id)) throw vpError('CONNECTION_REMOVED', { connection: connection.name });
        return isCurrentConnection(sql, connection);
      }),
    async recordProbe(connection, problem) {
      const state = problem === undefined ? 'connected' : 'failing';
      const change = { state, lastError: problem ?? null, nowMs: clock.nowMs() } as const;
      await database.write((sql) => {
        if (isCurrentConnection(sql, connection)) updateConnectionState(sql, connection.id, change);
      });
    },
    async recordSignInChange({ id, hubId, name }, { personId: callerId }, event) {
      const stateChange = { state: 'untried', lastError: null, nowMs: clock.nowMs() } as const;
      await database.write((sql) => updateConnectionState(sql, id, stateChange));
      logSecurityEvent({ event, level: 'info', hub: hubId, connection: id, name, by: callerId });
      notifyHubChanged(hubId);
    },
    async draft(caller, slug, input) {
      const { hubId } = await authorize(caller, slug, 'connection.manage');
      return createDraft(context, caller, hubId, input);
    },
  };
}

function isCurrentConnection(sql: Sql, { id, revision }: UpstreamConnection): boolean {
  return findConnection(sql, id)?.revision === revision;
}

function createDraft(
  context: HubContext,
  caller: PersonCaller,
  hubId: string,
  { name, kind, url, command, credential = { kind: 'none' }, protocol = 'auto' }: ProbeHubConnectionRequest,
): DraftConnection {
  const id = createHubId(context);
  const address: Pick<CreateHubConnectionRequest, 'kind' | 'url' | 'command'> = {
    kind,
    ...(url === undefined ? {} : { url }),
    ...(command === undefined ? {} : { command }),
  };
  const target = resolveConnectionAddress(context, caller, address);
  const columns = toCredentialColumns(context, id, credential);
  assertCredentialAllowed(kind, columns);
  assertProtocolAllowed(kind, protocol);
  const header = credential.kind === 'header' ? { name: credential.header, value: credential.value } : undefined;
  const connection: UpstreamConnection = {
    id,
    hubId,
    // Errors name the connection by this.
    name: name ?? (target.url === null ? kind : new URL(target.url).host),
    kind,
    url: target.url ?? undefined,
    command: target.command ?? undefined,
    // There is no sign-in yet: the probe finds out whether the server requires one.
    credential: header ? { kind: 'header', header: header.name } : { kind: 'none' },
    protocol,
    enabled: true,
    state: 'untried',
    lastError: undefined,
    revision: 0,
  };
  return { connection, header };
}
