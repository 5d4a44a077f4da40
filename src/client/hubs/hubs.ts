import type { MadeHubChanges, MakeHubChangesRequest } from '../../contract/hubs/hub-changes-api.ts';
import type {
  CreateHubConnectionRequest,
  CreateHubRequest,
  CreateHubTokenRequest,
  ExpectedHubRole,
  Hub,
  HubCommandList,
  HubConnection,
  HubDetails,
  HubMember,
  HubToken,
  HubTokenWithSecret,
  RotateHubTokenRequest,
  UpdateHubConnectionRequest,
  UpdateHubRequest,
  UpdateHubTokenRequest,
} from '../../contract/hubs/hubs-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from '../transport/api-call.ts';
import { createObjectGuard } from '../transport/json-response.ts';
import type { Transport } from '../transport/transport.ts';

/** Hubs of the caller; `hub` is a slug. */
export type HubManagementClient = {
  list(options?: CallOptions): Promise<readonly Hub[]>;
  get(hub: string, options?: CallOptions): Promise<HubDetails>;
  create(input: CreateHubRequest): Promise<Hub>;
  update(hub: string, input: UpdateHubRequest): Promise<Hub>;
  /** All of them are made, or none; with `if_revision` only if the hub still has it. */
  makeChanges(hub: string, input: MakeHubChangesRequest): Promise<MadeHubChanges>;
  remove(hub: string): Promise<void>;
  listMembers(hub: string, options?: CallOptions): Promise<readonly HubMember[]>;
  /** Adds a person, or changes their role; with `expected` only if that still is their role. */
  setMember(hub: string, personId: string, role: HubMember['role'], expected?: ExpectedHubRole): Promise<HubMember>;
  removeMember(hub: string, personId: string, expected?: ExpectedHubRole): Promise<void>;
  leave(hub: string): Promise<void>;
};

/** Connections of a hub; `connection` is an id or a name. */
export type HubConnectionsClient = {
  listConnections(hub: string, options?: CallOptions): Promise<readonly HubConnection[]>;
  getConnection(hub: string, connection: string, options?: CallOptions): Promise<HubConnection>;
  addConnection(hub: string, input: CreateHubConnectionRequest): Promise<HubConnection>;
  updateConnection(hub: string, connection: string, input: UpdateHubConnectionRequest): Promise<HubConnection>;
  removeConnection(hub: string, connection: string): Promise<void>;
  /** Commands that connections of the kind `stdio` may run. */
  listCommands(hub: string, options?: CallOptions): Promise<HubCommandList>;
};

/** Personal access tokens. */
export type HubTokensClient = {
  /** The caller's tokens in all hubs. */
  listOwnTokens(options?: CallOptions): Promise<readonly HubToken[]>;
  /** Tokens of one hub: the caller's, or all of them for its owners. */
  listTokens(hub: string, options?: CallOptions): Promise<readonly HubToken[]>;
  createToken(hub: string, input: CreateHubTokenRequest): Promise<HubTokenWithSecret>;
  updateToken(id: string, input: UpdateHubTokenRequest): Promise<HubToken>;
  revealToken(id: string): Promise<HubTokenWithSecret>;
  rotateToken(id: string, input?: RotateHubTokenRequest): Promise<HubTokenWithSecret>;
  revokeToken(id: string): Promise<void>;
};

export type HubsClient = HubManagementClient & HubConnectionsClient & HubTokensClient;

const isMade = createObjectGuard<MadeHubChanges>('hub', 'count');
const isHub = createObjectGuard<Hub>('hub_id', 'slug', 'role');
const isDetails = createObjectGuard<HubDetails>('hub_id', 'slug', 'role', 'revision');
const isMember = createObjectGuard<HubMember>('person_id', 'role');
const isConnection = createObjectGuard<HubConnection>('connection_id', 'name', 'credential');
const isCommands = createObjectGuard<HubCommandList>('items', 'may_connect');
const isToken = createObjectGuard<HubToken>('token_id', 'name', 'hub');
const isTokenWithSecret = createObjectGuard<HubTokenWithSecret>('hub_token', 'token');
const hubPath = (...segments: readonly string[]): string => apiPath('hubs', ...segments);

async function listItems<T>({ json }: Transport, path: string, options?: CallOptions): Promise<readonly T[]> {
  return (await json({ method: 'GET', path: path, ...options }, createPageTypeGuard<T>())).items;
}

function createHubManagementClient(transport: Transport): HubManagementClient {
  const { json, noContent } = transport;
  return {
    list: (options) => listItems(transport, hubPath(), options),
    get: (hub, options) => json({ method: 'GET', path: hubPath(hub), ...options }, isDetails),
    create: (body) => json({ method: 'POST', path: hubPath(), body }, isHub),
    update: (hub, body) => json({ method: 'PUT', path: hubPath(hub), body }, isHub),
    makeChanges: (hub, body) => json({ method: 'POST', path: hubPath(hub, 'changes'), body }, isMade),
    remove: (hub) => noContent({ method: 'DELETE', path: hubPath(hub) }),
    listMembers: (hub, options) => listItems(transport, hubPath(hub, 'members'), options),
    setMember: (hub, personId, role, expected) => {
      const body = expected === undefined ? { role } : { role, if_role: expected };
      return json({ method: 'PUT', path: hubPath(hub, 'members', personId), body }, isMember);
    },
    removeMember: (hub, personId, expected) =>
      noContent({ method: 'DELETE', path: hubPath(hub, 'members', personId), query: { if_role: expected } }),
    leave: (hub) => noContent({ method: 'POST', path: hubPath(hub, 'leave') }),
  };
}

function createHubConnectionsClient(transport: Transport): HubConnectionsClient {
  const { json, noContent } = transport;
  const connectionsPath = (hub: string, ...segments: readonly string[]) => hubPath(hub, 'connections', ...segments);
  return {
    listConnections: (hub, options) => listItems(transport, connectionsPath(hub), options),
    getConnection: (hub, idOrName, options) =>
      json({ method: 'GET', path: connectionsPath(hub, idOrName), ...options }, isConnection),
    addConnection: (hub, body) => json({ method: 'POST', path: connectionsPath(hub), body }, isConnection),
    updateConnection: (hub, idOrName, body) =>
      json({ method: 'PUT', path: connectionsPath(hub, idOrName), body }, isConnection),
    removeConnection: (hub, idOrName) => noContent({ method: 'DELETE', path: connectionsPath(hub, idOrName) }),
    listCommands: (hub, options) => json({ method: 'GET', path: hubPath(hub, 'commands'), ...options }, isCommands),
  };
}

function createHubTokensClient(transport: Transport): HubTokensClient {
  const { json, noContent } = transport;
  const tokenPath = (...segments: readonly string[]) => apiPath('hub-tokens', ...segments);
  return {
    listOwnTokens: (options) => listItems(transport, tokenPath(), options),
    listTokens: (hub, options) => listItems(transport, hubPath(hub, 'tokens'), options),
    createToken: (hub, body) => json({ method: 'POST', path: hubPath(hub, 'tokens'), body }, isTokenWithSecret),
    updateToken: (id, body) => json({ method: 'PUT', path: tokenPath(id), body }, isToken),
    revealToken: (id) => json({ method: 'POST', path: tokenPath(id, 'reveal') }, isTokenWithSecret),
    rotateToken: (id, body = {}) => json({ method: 'POST', path: tokenPath(id, 'rotate'), body }, isTokenWithSecret),
    revokeToken: (id) => noContent({ method: 'DELETE', path: tokenPath(id) }),
  };
}

export function createHubsClient(transport: Transport): HubsClient {
  return {
    ...createHubManagementClient(transport),
    ...createHubConnectionsClient(transport),
    ...createHubTokensClient(transport),
  };
}
