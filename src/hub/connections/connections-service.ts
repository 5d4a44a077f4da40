/**
 * Manages connections: every member sees them, owners of the hub change them.
 *
 * Length: what is checked before a connection is added, changed and removed is read together.
 */
import type {
  CreateHubConnectionRequest,
  HubCommandList,
  HubConnection,
  UpdateHubConnectionRequest,
} from '../../contract/hubs/hubs-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import {
  type ConnectionRow,
  deleteConnection,
  deleteConnectionGrants,
  findConnection,
  findConnectionSecret,
  insertConnection,
  listConnections,
  updateConnection,
} from '../../store/control/hubs/connections.ts';
import type { Sql } from '../../store/sql.ts';
import { authorizeInHub, type HubAction } from '../access/permissions.ts';
import { makeChange, type PreparedChange } from '../changes/hub-change.ts';
import { createHubId, type HubContext } from '../context.ts';
import { listStoredSignIns, toSignInView } from '../sign-in/stored-sign-ins.ts';
import { withoutCommandDetails } from '../upstream/commands/command-views.ts';
import { type CredentialColumns, toCredentialColumns, toCredentialView } from './credential.ts';
import {
  assertCredentialAllowed,
  assertProtocolAllowed,
  type ConnectionAddress,
  resolveConnectionAddress,
} from './target.ts';
import { assertConnectionName } from './validation.ts';

/** Each method throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT; `ref` is an id or a name (CONNECTION_UNKNOWN). */
export type ConnectionsService = {
  list(caller: PersonCaller, slug: string): Promise<HubConnection[]>;
  get(caller: PersonCaller, slug: string, ref: string): Promise<HubConnection>;
  /** The commands that connections of the kind `stdio` may run. */
  commands(caller: PersonCaller, slug: string): Promise<HubCommandList>;
  /** Throws CONNECTION_NAME_INVALID, CONNECTION_NAME_TAKEN, CONNECTION_INVALID, CONNECTION_URL_REFUSED, CONNECTION_STDIO_REFUSED, HUB_LIMIT_REACHED. */
  add(caller: PersonCaller, slug: string, input: CreateHubConnectionRequest): Promise<HubConnection>;
  /** Throws the errors of `add` and CONNECTION_CREDENTIAL_NEEDED. */
  change(caller: PersonCaller, slug: string, ref: string, input: UpdateHubConnectionRequest): Promise<HubConnection>;
  remove(caller: PersonCaller, slug: string, ref: string): Promise<void>;
};

type ConnectionSerializer = (row: ConnectionRow, sql: Sql, caller: PersonCaller) => HubConnection;

function createSerializer(context: HubContext): ConnectionSerializer {
  return (row, sql, caller) => toHubConnection(row, toSignInView(context, sql, row, caller));
}

function toHubConnection(row: ConnectionRow, signIn: HubConnection['sign_in']): HubConnection {
  return {
    connection_id: row.id,
    name: row.name,
    kind: row.kind,
    url: row.url,
    command: row.command,
    credential: toCredentialView(row),
    protocol: row.protocol,
    enabled: row.enabled === 1,
    state: signIn?.needed ? 'needs_sign_in' : toStateView(row),
    last_error: row.last_error,
    warning: row.warning,
    sign_in: signIn,
    last_tried_at: formatTimestampOrNull(row.tried_at_ms),
    revision: row.revision,
    created_at: formatTimestamp(row.created_at_ms),
    created_by: row.created_by,
  };
}

/** The memory service is a part of this process: nothing has to be tried. */
function toStateView({ kind, state }: ConnectionRow): HubConnection['state'] {
  return kind === 'memory' && state === 'untried' ? 'connected' : state;
}

/** Names a connection by its id or name. */
export type ConnectionRef = { readonly caller: PersonCaller; readonly slug: string; readonly ref: string };

/** Throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT, CONNECTION_UNKNOWN. */
export function requireConnection(sql: Sql, { caller, slug, ref }: ConnectionRef, action: HubAction): ConnectionRow {
  const { hubId } = authorizeInHub(sql, caller, slug, action);
  const row = listConnections(sql, hubId).find(({ id, name }) => id === ref || name === ref);
  if (row) return row;
  throw vpError('CONNECTION_UNKNOWN', { hub: slug, connection: ref.slice(0, 100) });
}

function readSaved(context: HubContext, sql: Sql, id: string, caller: PersonCaller): HubConnection {
  const row = findConnection(sql, id);
  if (row) return createSerializer(context)(row, sql, caller);
  throw vpError('INTERNAL', {}, { detail: 'a connection that was just written is missing' });
}

export function createConnectionsService(context: HubContext): ConnectionsService {
  const { database } = context;
  const serialize = createSerializer(context);
  return {
    list: (caller, slug) =>
      database.read((sql) => {
        const { hubId } = authorizeInHub(sql, caller, slug, 'connection.see');
        return listConnections(sql, hubId).map((row) => serialize(row, sql, caller));
      }),
    get: (caller, slug, ref) =>
      database.read((sql) => serialize(requireConnection(sql, { caller, slug, ref }, 'connection.see'), sql, caller)),
    commands: (caller, slug) =>
      database.read((sql) => {
        authorizeInHub(sql, caller, slug, 'connection.manage');
        return listCommands(context, caller);
      }),
    add: (caller, slug, input) => makeChange(database, createConnectionAddition(context, caller, slug, input)),
    change: (caller, slug, ref, input) =>
      makeChange(database, createConnectionChange(context, { caller, slug, ref }, input)),
    remove: (caller, slug, ref) => makeChange(database, createConnectionRemoval(context, { caller, slug, ref })),
  };
}

/** Only owners of the control plane see paths and files of this machine. */
function listCommands({ settings }: Pick<HubContext, 'settings'>, { role }: PersonCaller): HubCommandList {
  const { stdioCommands, stdioCommandsFile = null } = settings;
  if (role !== 'owner') return { items: withoutCommandDetails(stdioCommands), file: null, may_connect: false };
  return { items: [...stdioCommands], file: stdioCommandsFile, may_connect: true };
}

function assertNameFree(sql: Sql, hubId: string, name: string, ignoredId?: string): void {
  assertConnectionName(name);
  if (listConnections(sql, hubId).some((existing) => existing.name === name && existing.id !== ignoredId))
    throw vpError('CONNECTION_NAME_TAKEN', { name });
}

function assertNoMemoryConnection(sql: Sql, hubId: string, { kind }: Pick<CreateHubConnectionRequest, 'kind'>): void {
  const existingMemory =
    kind === 'memory' && listConnections(sql, hubId).find((existing) => existing.kind === 'memory');
  if (existingMemory) throw vpError('CONNECTION_MEMORY_THERE', { name: existingMemory.name });
}

export function createConnectionAddition(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  input: CreateHubConnectionRequest,
): PreparedChange<HubConnection> {
  const { clock, logSecurityEvent, notifyHubChanged, settings } = context;
  const id = createHubId(context);
  const nowMs = clock.nowMs();
  return (sql) => {
    const { hubId } = authorizeInHub(sql, caller, slug, 'connection.manage');
    assertNameFree(sql, hubId, input.name);
    const max = settings.maxConnections;
    const cure = 'remove an unused connection, or create another hub';
    if (listConnections(sql, hubId).length >= max)
      throw vpError('HUB_LIMIT_REACHED', { max, items: 'connections', cure });
    assertNoMemoryConnection(sql, hubId, input);
    const target = resolveConnectionAddress(context, caller, input);
    const credential = toCredentialColumns(context, id, input.credential ?? { kind: 'none' });
    assertCredentialAllowed(input.kind, credential);
    const { name, kind, protocol = 'auto' } = input;
    assertProtocolAllowed(kind, protocol);
    const metadata = { id, hub_id: hubId, created_at_ms: nowMs, created_by: caller.name };
    insertConnection(sql, {
      ...metadata,
      name,
      kind,
      ...target,
      ...credential,
      protocol,
      enabled: input.enabled === false ? 0 : 1,
    });
    const row = readSaved(context, sql, id, caller);
    return () => {
      const details = { hub: hubId, connection: id, name: row.name, kind: row.kind };
      logSecurityEvent({ event: 'hub_connection_added', level: 'info', ...details, by: caller.personId });
      notifyHubChanged(hubId);
      return row;
    };
  };
}

/** The address after a change; omitted members keep their value. */
function resolveChangedTarget(
  context: HubContext,
  caller: PersonCaller,
  row: ConnectionRow,
  input: UpdateHubConnectionRequest,
) {
  if (input.url === undefined && input.command === undefined) return { url: row.url, command: row.command };
  return resolveConnectionAddress(context, caller, { kind: row.kind, ...pickAddress(input) });
}

function pickAddress({
  url,
  command,
}: UpdateHubConnectionRequest): Pick<CreateHubConnectionRequest, 'url' | 'command'> {
  return { ...(url === undefined ? {} : { url }), ...(command === undefined ? {} : { command }) };
}

function getOrigin(url: string | null): string {
  return url === null ? '' : new URL(url).origin;
}

/** Somebody who can change the address must not be able to redirect a secret that another person entered. */
function keepCredential(sql: Sql, row: ConnectionRow, { url }: ConnectionAddress): CredentialColumns {
  const [oldOrigin, newOrigin] = [getOrigin(row.url), getOrigin(url)];
  if (row.credential !== 'none' && oldOrigin !== newOrigin)
    throw vpError('CONNECTION_CREDENTIAL_NEEDED', { old_origin: oldOrigin, new_origin: newOrigin });
  const { credential, header, sharing, client_id, scope } = row;
  return { credential, header, sharing, client_id, scope, sealed: findConnectionSecret(sql, row.id) ?? null };
}

export function createConnectionChange(
  context: HubContext,
  connectionRef: ConnectionRef,
  input: UpdateHubConnectionRequest,
): PreparedChange<HubConnection> {
  const { logSecurityEvent, notifyHubChanged, notifySignInsRemoved } = context;
  const { caller } = connectionRef;
  return (sql) => {
    const before = requireConnection(sql, connectionRef, 'connection.manage');
    if (before.kind === 'stdio' && caller.role !== 'owner') throw vpError('CONNECTION_STDIO_REFUSED', {});
    const { if_revision: expected = before.revision } = input;
    if (expected !== before.revision)
      throw vpError('CONNECTION_REVISION_OTHER', { connection: before.name, found: before.revision, expected });
    const name = input.name ?? before.name;
    assertNameFree(sql, before.hub_id, name, before.id);
    const target = resolveChangedTarget(context, caller, before, input);
    const credential =
      input.credential === undefined
        ? keepCredential(sql, before, target)
        : toCredentialColumns(context, before.id, input.credential);
    assertCredentialAllowed(before.kind, credential);
    const protocol = input.protocol ?? before.protocol;
    assertProtocolAllowed(before.kind, protocol);
    const enabled = input.enabled === undefined ? before.enabled : Number(input.enabled);
    // Tokens are valid for the address and client that they were issued to.
    const invalidatesSignIns = input.credential !== undefined || target.url !== before.url;
    const removedSignIns = invalidatesSignIns ? listStoredSignIns(context, sql, [before]) : [];
    if (invalidatesSignIns) deleteConnectionGrants(sql, before.id);
    updateConnection(sql, before.id, { name, kind: before.kind, ...target, ...credential, protocol, enabled });
    const row = readSaved(context, sql, before.id, caller);
    const { hub_id: hubId } = before;
    return () => {
      const details = { hub: hubId, connection: row.connection_id, name: row.name };
      logSecurityEvent({ event: 'hub_connection_changed', level: 'info', ...details, by: caller.personId });
      notifyHubChanged(hubId);
      notifySignInsRemoved(removedSignIns);
      return row;
    };
  };
}

export function createConnectionRemoval(context: HubContext, connectionRef: ConnectionRef): PreparedChange<void> {
  const { logSecurityEvent, notifyHubChanged, notifySignInsRemoved } = context;
  return (sql) => {
    const row = requireConnection(sql, connectionRef, 'connection.manage');
    const removedSignIns = listStoredSignIns(context, sql, [row]);
    deleteConnection(sql, row.id);
    return () => {
      const details = { hub: row.hub_id, connection: row.id, name: row.name };
      const by = connectionRef.caller.personId;
      logSecurityEvent({ event: 'hub_connection_removed', level: 'info', ...details, by });
      notifyHubChanged(row.hub_id);
      notifySignInsRemoved(removedSignIns);
    };
  };
}
