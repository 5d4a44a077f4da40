import type {
  Hub,
  HubChange,
  HubCommands,
  HubConnection,
  HubConnectionChange,
  HubConnectionNew,
  HubMember,
  HubNew,
  HubToken,
  HubTokenNew,
  HubTokenRotate,
  HubTokenShown,
} from '../contract/hub-api.ts';
import { objectWith } from './answer.ts';
import { at, type Giving, isPage } from './call.ts';
import type { Transport } from './transport.ts';

/** Hubs that the caller belongs to; `hub` is a slug. */
export type HubRecordCalls = {
  list(giving?: Giving): Promise<readonly Hub[]>;
  get(hub: string, giving?: Giving): Promise<Hub>;
  create(input: HubNew): Promise<Hub>;
  change(hub: string, input: HubChange): Promise<Hub>;
  remove(hub: string): Promise<void>;
  members(hub: string, giving?: Giving): Promise<readonly HubMember[]>;
  /** Adds somebody, or gives them another role. */
  putMember(hub: string, personId: string, role: HubMember['role']): Promise<HubMember>;
  removeMember(hub: string, personId: string): Promise<void>;
  leave(hub: string): Promise<void>;
};

/** Connections of a hub; `connection` is an id or a name. */
export type HubConnectionCalls = {
  connections(hub: string, giving?: Giving): Promise<readonly HubConnection[]>;
  connection(hub: string, connection: string, giving?: Giving): Promise<HubConnection>;
  addConnection(hub: string, input: HubConnectionNew): Promise<HubConnection>;
  changeConnection(hub: string, connection: string, input: HubConnectionChange): Promise<HubConnection>;
  removeConnection(hub: string, connection: string): Promise<void>;
  /** What connections of the kind `stdio` may run. */
  commands(hub: string, giving?: Giving): Promise<HubCommands>;
};

/** Personal access tokens. */
export type HubTokenCalls = {
  /** The caller's in all hubs. */
  ownTokens(giving?: Giving): Promise<readonly HubToken[]>;
  /** Of one hub: everybody's for its owners. */
  tokens(hub: string, giving?: Giving): Promise<readonly HubToken[]>;
  createToken(hub: string, input: HubTokenNew): Promise<HubTokenShown>;
  revealToken(id: string): Promise<HubTokenShown>;
  rotateToken(id: string, input?: HubTokenRotate): Promise<HubTokenShown>;
  endToken(id: string): Promise<void>;
};

/** All of contract/hub-api.ts. */
export type HubsClient = HubRecordCalls & HubConnectionCalls & HubTokenCalls;

const isHub = objectWith<Hub>('hub_id', 'slug', 'role');
const isMember = objectWith<HubMember>('person_id', 'role');
const isConnection = objectWith<HubConnection>('connection_id', 'name', 'credential');
const isCommands = objectWith<HubCommands>('items', 'may_connect');
const isShown = objectWith<HubTokenShown>('hub_token', 'token');
const path = (...more: readonly string[]): string => at('hubs', ...more);

async function pageOf<T>({ json }: Transport, from: string, giving?: Giving): Promise<readonly T[]> {
  return (await json({ method: 'GET', path: from, ...giving }, isPage<T>())).items;
}

function recordCalls(transport: Transport): HubRecordCalls {
  const { json, nothing } = transport;
  return {
    list: (giving) => pageOf(transport, path(), giving),
    get: (hub, giving) => json({ method: 'GET', path: path(hub), ...giving }, isHub),
    create: (body) => json({ method: 'POST', path: path(), body }, isHub),
    change: (hub, body) => json({ method: 'PUT', path: path(hub), body }, isHub),
    remove: (hub) => nothing({ method: 'DELETE', path: path(hub) }),
    members: (hub, giving) => pageOf(transport, path(hub, 'members'), giving),
    putMember: (hub, personId, role) =>
      json({ method: 'PUT', path: path(hub, 'members', personId), body: { role } }, isMember),
    removeMember: (hub, personId) => nothing({ method: 'DELETE', path: path(hub, 'members', personId) }),
    leave: (hub) => nothing({ method: 'POST', path: path(hub, 'leave') }),
  };
}

function connectionCalls(transport: Transport): HubConnectionCalls {
  const { json, nothing } = transport;
  const connections = (hub: string, ...more: readonly string[]) => path(hub, 'connections', ...more);
  return {
    connections: (hub, giving) => pageOf(transport, connections(hub), giving),
    connection: (hub, ref, giving) => json({ method: 'GET', path: connections(hub, ref), ...giving }, isConnection),
    addConnection: (hub, body) => json({ method: 'POST', path: connections(hub), body }, isConnection),
    changeConnection: (hub, ref, body) => json({ method: 'PUT', path: connections(hub, ref), body }, isConnection),
    removeConnection: (hub, ref) => nothing({ method: 'DELETE', path: connections(hub, ref) }),
    commands: (hub, giving) => json({ method: 'GET', path: path(hub, 'commands'), ...giving }, isCommands),
  };
}

function tokenCalls(transport: Transport): HubTokenCalls {
  const { json, nothing } = transport;
  const own = (...more: readonly string[]) => at('hub-tokens', ...more);
  return {
    ownTokens: (giving) => pageOf(transport, own(), giving),
    tokens: (hub, giving) => pageOf(transport, path(hub, 'tokens'), giving),
    createToken: (hub, body) => json({ method: 'POST', path: path(hub, 'tokens'), body }, isShown),
    revealToken: (id) => json({ method: 'POST', path: own(id, 'reveal') }, isShown),
    rotateToken: (id, body = {}) => json({ method: 'POST', path: own(id, 'rotate'), body }, isShown),
    endToken: (id) => nothing({ method: 'DELETE', path: own(id) }),
  };
}

/** The calls of contract/hub-api.ts. */
export function hubsOf(transport: Transport): HubsClient {
  return { ...recordCalls(transport), ...connectionCalls(transport), ...tokenCalls(transport) };
}
