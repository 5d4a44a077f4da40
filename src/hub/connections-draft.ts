/** Connections that are looked at before they are kept, or beside what is kept of them. */
import type { HubConnectionNew } from '../contract/hub-api.ts';
import type { HubConnectionProbe } from '../contract/hub-connect-api.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { noteConnectionState } from '../store/control/hub-connections.ts';
import { type Asked, demandConnection } from './connections.ts';
import { connectionOf, credentialColumns } from './connections-credential.ts';
import { demandNoCredential, demandTarget } from './connections-target.ts';
import { demandHub, type HubAction, type Standing } from './hubs-authorization.ts';
import { type HubContext, newHubId } from './hubs-context.ts';
import type { EndedSignIn } from './upstream/revocations.ts';
import type { Connection } from './words.ts';

/** A connection that is kept nowhere, with the header that it would send. */
export type DraftedConnection = {
  readonly connection: Connection;
  readonly header: { readonly name: string; readonly value: string } | undefined;
};

/** What is asked of the records for connections in use. Each throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export type ConnectionRecords = {
  stand(caller: PersonCaller, slug: string, action: HubAction): Promise<Standing>;
  /** Throws what making it would throw, save what is about its name. */
  draft(caller: PersonCaller, slug: string, input: HubConnectionProbe): Promise<DraftedConnection>;
  /** Throws CONNECTION_UNKNOWN. */
  find(asked: Asked, action: HubAction): Promise<Connection>;
  /** Somebody signed in to a connection, or forgot that: what was known of its server holds no longer. */
  signInChanged(connection: Connection, by: PersonCaller, event: SignInEvent): Promise<void>;
  /** The place where a server says that it takes tokens back may not be called. */
  revocationRefused(connection: Connection, by: PersonCaller, problem: string): void;
  /** These sign-ins are kept no more: their servers are to hear it. */
  signInsEnded(ended: readonly EndedSignIn[]): void;
};

/** As the log of security has it. */
export type SignInEvent = 'hub_signed_in' | 'hub_sign_in_forgotten';

/** See {@link ConnectionRecords}. */
export function connectionRecords(context: HubContext): ConnectionRecords {
  const { database, clock, tell, changed } = context;
  const stand: ConnectionRecords['stand'] = (caller, slug, action) =>
    database.read((sql) => demandHub(sql, caller, slug, action));
  return {
    stand,
    signInsEnded: context.signInsEnded,
    revocationRefused({ id, hubId, name }, { personId: by }, problem) {
      const about = { hub: hubId, connection: id, name, by, problem };
      tell({ event: 'hub_revocation_endpoint_refused', level: 'warn', ...about });
    },
    find: (asked, action) => database.read((sql) => connectionOf(demandConnection(sql, asked, action))),
    async signInChanged({ id, hubId, name }, { personId: by }, event) {
      const noted = { state: 'untried', lastError: null, nowMs: clock.nowMs() } as const;
      await database.write((sql) => noteConnectionState(sql, id, noted));
      tell({ event, level: 'info', hub: hubId, connection: id, name, by });
      changed(hubId);
    },
    async draft(caller, slug, input) {
      const { hubId } = await stand(caller, slug, 'connection.manage');
      return drafted(context, caller, hubId, input);
    },
  };
}

function drafted(
  context: HubContext,
  caller: PersonCaller,
  hubId: string,
  { name, kind, url, command, credential = { kind: 'none' } }: HubConnectionProbe,
): DraftedConnection {
  const id = newHubId(context);
  const place: Pick<HubConnectionNew, 'kind' | 'url' | 'command'> = {
    kind,
    ...(url === undefined ? {} : { url }),
    ...(command === undefined ? {} : { command }),
  };
  const target = demandTarget(context, caller, place);
  const columns = credentialColumns(context, id, credential);
  demandNoCredential(kind, columns);
  const header = credential.kind === 'header' ? { name: credential.header, value: credential.value } : undefined;
  const connection: Connection = {
    id,
    hubId,
    // What is wrong with it is told under this name.
    name: name ?? (target.url === null ? kind : new URL(target.url).host),
    kind,
    url: target.url ?? undefined,
    command: target.command ?? undefined,
    // There is no sign-in yet: the server is asked without, and says whether it wants one.
    credential: header ? { kind: 'header', header: header.name } : { kind: 'none' },
    enabled: true,
    state: 'untried',
    lastError: undefined,
    revision: 0,
  };
  return { connection, header };
}
