/** Connections as people manage them: every member sees them, owners of the hub change them. */
import type { HubCommands, HubConnection, HubConnectionChange, HubConnectionNew } from '../contract/hub-api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { momentOf, momentOrNull } from '../identity/person.ts';
import {
  type ConnectionRow,
  connectionsOfHub,
  deleteConnection,
  deleteUpstreamGrantsOf,
  findConnection,
  insertConnection,
  sealedConnection,
  updateConnection,
} from '../store/control/hub-connections.ts';
import type { Sql } from '../store/sql.ts';
import { type CredentialColumns, credentialColumns, shownCredential } from './connections-credential.ts';
import { keptSignIns, shownSignIn } from './connections-grant.ts';
import { demandConnectionName } from './connections-rules.ts';
import { demandNoCredential, demandTarget, type Target } from './connections-target.ts';
import { demandHub, type HubAction } from './hubs-authorization.ts';
import { type HubContext, newHubId } from './hubs-context.ts';
import { withoutPlaces } from './upstream/shown-commands.ts';

/** Records of connections. Each throws HUB_UNKNOWN and HUB_ROLE_INSUFFICIENT; `ref` is an id or a name (CONNECTION_UNKNOWN). */
export type Connections = {
  list(caller: PersonCaller, slug: string): Promise<HubConnection[]>;
  get(caller: PersonCaller, slug: string, ref: string): Promise<HubConnection>;
  /** What connections of the kind `stdio` may run. */
  commands(caller: PersonCaller, slug: string): Promise<HubCommands>;
  /** Throws CONNECTION_NAME_INVALID, CONNECTION_NAME_TAKEN, CONNECTION_INVALID, CONNECTION_URL_REFUSED, CONNECTION_STDIO_REFUSED, HUB_LIMIT_REACHED. */
  add(caller: PersonCaller, slug: string, input: HubConnectionNew): Promise<HubConnection>;
  /** The same, and CONNECTION_CREDENTIAL_NEEDED. */
  change(caller: PersonCaller, slug: string, ref: string, input: HubConnectionChange): Promise<HubConnection>;
  remove(caller: PersonCaller, slug: string, ref: string): Promise<void>;
};

/** A row as its caller sees it. */
type Wire = (row: ConnectionRow, sql: Sql, caller: PersonCaller) => HubConnection;

function wireWith(context: HubContext): Wire {
  return (row, sql, caller) => wireConnection(row, shownSignIn(context, sql, row, caller));
}

function wireConnection(row: ConnectionRow, signIn: HubConnection['sign_in']): HubConnection {
  return {
    connection_id: row.id,
    name: row.name,
    kind: row.kind,
    url: row.url,
    command: row.command,
    credential: shownCredential(row),
    enabled: row.enabled === 1,
    state: signIn?.needed ? 'needs_sign_in' : row.state,
    last_error: row.last_error,
    warning: row.warning,
    sign_in: signIn,
    last_tried_at: momentOrNull(row.tried_at_ms),
    created_at: momentOf(row.created_at_ms),
    created_by: row.created_by,
  };
}

/** A connection that somebody names by its id or its name. */
export type Asked = { readonly caller: PersonCaller; readonly slug: string; readonly ref: string };

/** Throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT, CONNECTION_UNKNOWN. */
export function demandConnection(sql: Sql, { caller, slug, ref }: Asked, action: HubAction): ConnectionRow {
  const { hubId } = demandHub(sql, caller, slug, action);
  const row = connectionsOfHub(sql, hubId).find(({ id, name }) => id === ref || name === ref);
  if (row) return row;
  throw vpError('CONNECTION_UNKNOWN', { hub: slug, connection: ref.slice(0, 100) });
}

function written(context: HubContext, sql: Sql, id: string, caller: PersonCaller): HubConnection {
  const row = findConnection(sql, id);
  if (row) return wireWith(context)(row, sql, caller);
  throw vpError('INTERNAL', {}, { detail: 'a connection that was just written is not there' });
}

/** See {@link Connections}. */
export function connectionsOf(context: HubContext): Connections {
  const { database, tell, changed, signInsEnded } = context;
  const wire = wireWith(context);
  return {
    list: (caller, slug) =>
      database.read((sql) => {
        const { hubId } = demandHub(sql, caller, slug, 'connection.see');
        return connectionsOfHub(sql, hubId).map((row) => wire(row, sql, caller));
      }),
    get: (caller, slug, ref) =>
      database.read((sql) => wire(demandConnection(sql, { caller, slug, ref }, 'connection.see'), sql, caller)),
    commands: (caller, slug) =>
      database.read((sql) => {
        demandHub(sql, caller, slug, 'connection.manage');
        return commandsFor(context, caller);
      }),
    add: (caller, slug, input) => add(context, caller, slug, input),
    change: (caller, slug, ref, input) => change(context, { caller, slug, ref }, input),
    async remove(caller, slug, ref) {
      const { row, ended } = await database.write((sql) => {
        const found = demandConnection(sql, { caller, slug, ref }, 'connection.manage');
        const ended = keptSignIns(context, sql, [found]);
        deleteConnection(sql, found.id);
        return { row: found, ended };
      });
      const about = { hub: row.hub_id, connection: row.id, name: row.name };
      tell({ event: 'hub_connection_removed', level: 'info', ...about, by: caller.personId });
      changed(row.hub_id);
      signInsEnded(ended);
    },
  };
}

/** Where programs and files of this machine are, is for those who run it. */
function commandsFor({ settings }: Pick<HubContext, 'settings'>, { role }: PersonCaller): HubCommands {
  const { stdioCommands, stdioFile = null } = settings;
  if (role !== 'owner') return { items: withoutPlaces(stdioCommands), file: null, may_connect: false };
  return { items: [...stdioCommands], file: stdioFile, may_connect: true };
}

function demandFreeName(sql: Sql, hubId: string, name: string, ownId?: string): void {
  demandConnectionName(name);
  if (connectionsOfHub(sql, hubId).some((one) => one.name === name && one.id !== ownId))
    throw vpError('CONNECTION_NAME_TAKEN', { name });
}

function demandOneMemory(sql: Sql, hubId: string, { kind }: Pick<HubConnectionNew, 'kind'>): void {
  const there = kind === 'memory' && connectionsOfHub(sql, hubId).find((one) => one.kind === 'memory');
  if (there) throw vpError('CONNECTION_MEMORY_THERE', { name: there.name });
}

async function add(
  context: HubContext,
  caller: PersonCaller,
  slug: string,
  input: HubConnectionNew,
): Promise<HubConnection> {
  const { database, clock, tell, changed, settings } = context;
  const id = newHubId(context);
  const nowMs = clock.nowMs();
  const { row, hubId } = await database.write((sql) => {
    const { hubId } = demandHub(sql, caller, slug, 'connection.manage');
    demandFreeName(sql, hubId, input.name);
    const most = settings.mostConnections;
    const cure = 'remove one that nobody uses, or make a further hub';
    if (connectionsOfHub(sql, hubId).length >= most)
      throw vpError('HUB_LIMIT_REACHED', { most, what: 'connections', cure });
    demandOneMemory(sql, hubId, input);
    const target = demandTarget(context, caller, input);
    const credential = credentialColumns(context, id, input.credential ?? { kind: 'none' });
    demandNoCredential(input.kind, credential);
    const facts = { id, hub_id: hubId, created_at_ms: nowMs, created_by: caller.name };
    const { name, kind } = input;
    insertConnection(sql, { ...facts, name, kind, ...target, ...credential, enabled: input.enabled === false ? 0 : 1 });
    return { row: written(context, sql, id, caller), hubId };
  });
  const about = { hub: hubId, connection: id, name: row.name, kind: row.kind };
  tell({ event: 'hub_connection_added', level: 'info', ...about, by: caller.personId });
  changed(hubId);
  return row;
}

/** The target after a change; what is not named stays. */
function changedTarget(context: HubContext, caller: PersonCaller, row: ConnectionRow, input: HubConnectionChange) {
  if (input.url === undefined && input.command === undefined) return { url: row.url, command: row.command };
  return demandTarget(context, caller, { kind: row.kind, ...pick(input) });
}

function pick({ url, command }: HubConnectionChange): Pick<HubConnectionNew, 'url' | 'command'> {
  return { ...(url === undefined ? {} : { url }), ...(command === undefined ? {} : { command }) };
}

function originOf(url: string | null): string {
  return url === null ? '' : new URL(url).origin;
}

/** Whoever can change an address must not be able to have a secret sent to it that somebody else wrote. */
function keptCredential(sql: Sql, row: ConnectionRow, { url }: Target): CredentialColumns {
  const [before, after] = [originOf(row.url), originOf(url)];
  if (row.credential !== 'none' && before !== after) throw vpError('CONNECTION_CREDENTIAL_NEEDED', { before, after });
  const { credential, header, sharing, client_id, scope } = row;
  return { credential, header, sharing, client_id, scope, sealed: sealedConnection(sql, row.id) ?? null };
}

async function change(context: HubContext, asked: Asked, input: HubConnectionChange): Promise<HubConnection> {
  const { database, tell, changed, signInsEnded } = context;
  const { caller } = asked;
  const { row, hubId, ended } = await database.write((sql) => {
    const before = demandConnection(sql, asked, 'connection.manage');
    if (before.kind === 'stdio' && caller.role !== 'owner') throw vpError('CONNECTION_STDIO_REFUSED', {});
    const name = input.name ?? before.name;
    demandFreeName(sql, before.hub_id, name, before.id);
    const target = changedTarget(context, caller, before, input);
    const credential =
      input.credential === undefined
        ? keptCredential(sql, before, target)
        : credentialColumns(context, before.id, input.credential);
    demandNoCredential(before.kind, credential);
    const enabled = input.enabled === undefined ? before.enabled : Number(input.enabled);
    // What an upstream gave holds for the address and the client that it was given to.
    const isOther = input.credential !== undefined || target.url !== before.url;
    const ended = isOther ? keptSignIns(context, sql, [before]) : [];
    if (isOther) deleteUpstreamGrantsOf(sql, before.id);
    updateConnection(sql, before.id, { name, kind: before.kind, ...target, ...credential, enabled });
    return { row: written(context, sql, before.id, caller), hubId: before.hub_id, ended };
  });
  const about = { hub: hubId, connection: row.connection_id, name: row.name };
  tell({ event: 'hub_connection_changed', level: 'info', ...about, by: caller.personId });
  changed(hubId);
  signInsEnded(ended);
  return row;
}
