/** Requests of every revision, valid and invalid, whose answers are recorded in `answers.json`. */
import { initialize, requestMeta } from '../../fixtures/mcp-requests.ts';

export type WireRequest = {
  readonly method?: 'POST' | 'GET' | 'DELETE' | 'PUT';
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown;
  /** An undefined header is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
};

export type WireRequests = Readonly<Record<string, WireRequest>>;

function rpc(method: string, params?: unknown, id: unknown = 5): { body: unknown } {
  return { body: { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) } };
}

function notification(method: string, params?: unknown): { body: unknown } {
  return { body: { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) } };
}

const promptRef = { type: 'ref/prompt', name: 'good__greet' };
const toolCall = { name: 'good__echo', arguments: { text: 'hello' } };
const invalidTaskParams = { taskId: 't' };

/** What all revisions with `initialize` have, with a session and without. */
export const olderRequests: WireRequests = {
  ping: rpc('ping'),
  'ping with a text as id': rpc('ping', undefined, 'p'),
  'tools/list': rpc('tools/list'),
  'tools/list with empty params': rpc('tools/list', {}),
  'tools/list with a progress token': rpc('tools/list', { _meta: { progressToken: 1 } }),
  'tools/list with a valid cursor': rpc('tools/list', { cursor: Buffer.from('kgood__logs').toString('base64url') }),
  'tools/list with a wrong cursor': rpc('tools/list', { cursor: 'wrong' }),
  'tools/list with a number as cursor': rpc('tools/list', { cursor: 7 }),
  'prompts/list': rpc('prompts/list'),
  'resources/list': rpc('resources/list'),
  'resources/templates/list': rpc('resources/templates/list'),
  'completion/complete': rpc('completion/complete', { ref: promptRef, argument: { name: 'whom', value: 'A' } }),
  'completion/complete of a resource': rpc('completion/complete', {
    ref: { type: 'ref/resource', uri: 'hub.good+note://{name}' },
    argument: { name: 'name', value: 'o' },
  }),
  'completion/complete of an unknown prompt': rpc('completion/complete', {
    ref: { type: 'ref/prompt', name: 'good__none' },
    argument: { name: 'whom', value: 'A' },
  }),
  'completion/complete without an argument': rpc('completion/complete', { ref: promptRef }),
  'tools/call': rpc('tools/call', toolCall),
  'tools/call of an unknown tool': rpc('tools/call', { name: 'good__none' }),
  'tools/call without a name': rpc('tools/call', { arguments: {} }),
  'tools/call with a text as arguments': rpc('tools/call', { name: 'good__echo', arguments: 'x' }),
  'tools/call with an unknown param': rpc('tools/call', { ...toolCall, more: 1 }),
  'tools/call with a number as structured content': rpc('tools/call', { name: 'raw__number' }),
  'tools/call with a new kind of result': rpc('tools/call', { name: 'raw__kindless' }),
  'tools/call that needs input': rpc('tools/call', { name: 'good__ask' }),
  'prompts/get': rpc('prompts/get', { name: 'good__greet', arguments: { whom: 'Ann' } }),
  'prompts/get with a number as argument': rpc('prompts/get', { name: 'good__greet', arguments: { whom: 7 } }),
  'resources/read': rpc('resources/read', { uri: 'hub.good+note://one' }),
  'resources/read without a URI': rpc('resources/read', {}),
  'resources/read of an unknown resource': rpc('resources/read', { uri: 'none:x' }),
  'logging/setLevel': rpc('logging/setLevel', { level: 'warning' }),
  'logging/setLevel to an unknown level': rpc('logging/setLevel', { level: 'loud' }),
  'resources/subscribe': rpc('resources/subscribe', { uri: 'hub.good+note://one' }),
  'resources/subscribe again': rpc('resources/subscribe', { uri: 'hub.good+note://one' }),
  'resources/subscribe to an unknown resource': rpc('resources/subscribe', { uri: 'none:x' }),
  'resources/subscribe without a URI': rpc('resources/subscribe', {}),
  'resources/unsubscribe': rpc('resources/unsubscribe', { uri: 'hub.good+note://one' }),
  'resources/unsubscribe of what is not watched': rpc('resources/unsubscribe', { uri: 'none:y' }),
  'an unknown method': rpc('no/such'),
  'a method of clients': rpc('roots/list'),
  'tasks/get': rpc('tasks/get', invalidTaskParams),
  'server/discover': rpc('server/discover'),
  'initialize that is invalid': rpc('initialize', { protocolVersion: 7 }),
  'notifications/initialized': notification('notifications/initialized'),
  'notifications/cancelled': notification('notifications/cancelled', { requestId: 99 }),
  'an unknown notification': notification('notifications/none'),
  'a response that nothing waits for': { body: { jsonrpc: '2.0', id: 'q', result: {} } },
  'an error that nothing waits for': { body: { jsonrpc: '2.0', id: 'q', error: { code: 1, message: 'no' } } },
  'a batch of requests': { body: [rpc('ping', undefined, 1).body, rpc('tools/call', toolCall, 2).body] },
  'a batch of one': { body: [rpc('ping', undefined, 1).body] },
  'a batch with a notification': {
    body: [notification('notifications/initialized').body, rpc('ping', undefined, 3).body],
  },
  'a batch of notifications': { body: [notification('notifications/initialized').body] },
  'a batch with initialize': { body: [initialize, rpc('ping').body] },
  'a batch with an invalid message': { body: [{ jsonrpc: '2.0' }, rpc('ping').body] },
  'a batch of too many': { body: Array.from({ length: 101 }, (_, id) => rpc('ping', undefined, id).body) },
  'an empty batch': { body: [] },
  'a request without a version': { body: { id: 5, method: 'ping' } },
  'a request with a fraction as id': rpc('ping', undefined, 1.5),
  'a request with null as id': rpc('ping', undefined, null),
  'a request with an unknown member': { body: { ...Object(rpc('ping').body), more: 1 } },
  'a request with a list as params': rpc('ping', []),
  'a number': { body: 7 },
  'only JSON accepted': { ...rpc('ping'), headers: { Accept: 'application/json' } },
  'text as content type': { ...rpc('ping'), headers: { 'Content-Type': 'text/plain' } },
  'no content type': { ...rpc('ping'), headers: { 'Content-Type': '' } },
  'an unknown version in the header': { ...rpc('ping'), headers: { 'MCP-Protocol-Version': '1999-01-01' } },
  'a call with an unknown version in the header': {
    ...rpc('tools/call', toolCall),
    headers: { 'MCP-Protocol-Version': '1999-01-01' },
  },
  'the newest version in the header only': { ...rpc('ping'), headers: { 'MCP-Protocol-Version': '2026-07-28' } },
  PUT: { method: 'PUT' },
};

/** Starts of sessions. */
export const initializeRequests: WireRequests = Object.fromEntries([
  ...['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', '2031-01-01', 'x'].map(
    (protocolVersion) => [
      `initialize with ${protocolVersion}`,
      { body: { ...initialize, params: { ...initialize.params, protocolVersion } } },
    ],
  ),
  ['initialize without a client', { body: { ...initialize, params: { protocolVersion: '2025-06-18' } } }],
  ['initialize in a batch of one', { body: [initialize] }],
  ['initialize as text only', { body: initialize, headers: { Accept: 'text/event-stream' } }],
  [
    'initialize with the newest version in the header',
    { body: initialize, headers: { 'MCP-Protocol-Version': '2026-07-28' } },
  ],
  ['initialize with an unknown session', { body: initialize, headers: { 'Mcp-Session-Id': 'none' } }],
]);

function newest(
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string | undefined> = {},
): WireRequest {
  const name = params.name ?? params.uri ?? params.taskId;
  return {
    ...rpc(method, { ...params, _meta: { ...requestMeta, ...Object(params._meta) } }),
    headers: {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      'Mcp-Name': typeof name === 'string' ? name : undefined,
      ...headers,
    },
  };
}

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const echo = { ...toolCall };

export const newestRequests: WireRequests = {
  'server/discover': newest('server/discover'),
  'tools/list': newest('tools/list'),
  'tools/list with a wrong cursor': newest('tools/list', { cursor: 'wrong' }),
  'tools/list with a number as cursor': newest('tools/list', { cursor: 7 }),
  'prompts/list': newest('prompts/list'),
  'resources/list': newest('resources/list'),
  'resources/templates/list': newest('resources/templates/list'),
  'completion/complete': newest('completion/complete', { ref: promptRef, argument: { name: 'whom', value: 'A' } }),
  'completion/complete without an argument': newest('completion/complete', { ref: promptRef }),
  'tools/call': newest('tools/call', echo, { 'Mcp-Param-Text': 'hello' }),
  'tools/call without the header of a param': newest('tools/call', echo),
  'tools/call with an unknown param': newest('tools/call', { ...echo, more: 1 }, { 'Mcp-Param-Text': 'hello' }),
  'tools/call of an unknown tool': newest('tools/call', { name: 'good__none' }),
  'tools/call without a name': newest('tools/call', { arguments: {} }),
  'tools/call with a text as arguments': newest('tools/call', { name: 'good__fails', arguments: 'x' }),
  'tools/call with a number as structured content': newest('tools/call', { name: 'raw__number' }),
  'tools/call with a new kind of result': newest('tools/call', { name: 'raw__kindless' }),
  'tools/call that needs input that the client has': newest('tools/call', {
    name: 'good__ask',
    _meta: { [capabilitiesKey]: { elicitation: {} } },
  }),
  'tools/call that needs input that the client has not': newest('tools/call', { name: 'good__ask' }),
  'tools/call that needs an unknown kind of input': newest('tools/call', { name: 'raw__asksOdd' }),
  'tools/call that needs nothing': newest('tools/call', { name: 'raw__asksNothing' }),
  'tools/call with answers': newest('tools/call', {
    name: 'good__ask',
    inputResponses: { who: { action: 'accept', content: { name: 'Ann' } } },
    requestState: 'state-of-upstream',
    _meta: { [capabilitiesKey]: { elicitation: {} } },
  }),
  'tools/call with an unknown state': newest('tools/call', { name: 'good__fails', requestState: 'vph.none' }),
  'tools/call with a number as state': newest('tools/call', { name: 'good__fails', requestState: 7 }),
  'prompts/get': newest('prompts/get', { name: 'good__greet', arguments: { whom: 'Ann' } }),
  'prompts/get with a number as argument': newest('prompts/get', { name: 'good__greet', arguments: { whom: 7 } }),
  'prompts/get of an unknown prompt': newest('prompts/get', { name: 'good__none' }),
  'resources/read': newest('resources/read', { uri: 'hub.good+note://one' }),
  'resources/read of an unknown resource': newest('resources/read', { uri: 'none:x' }),
  ping: newest('ping'),
  'logging/setLevel': newest('logging/setLevel', { level: 'info' }),
  'resources/subscribe': newest('resources/subscribe', { uri: 'hub.good+note://one' }),
  initialize: newest('initialize', initialize.params),
  'an unknown method': newest('no/such'),
  'tasks/get': newest('tasks/get', invalidTaskParams),
  'a method of clients': newest('roots/list'),
  'subscriptions/listen to nothing': newest('subscriptions/listen', { notifications: {} }),
  'subscriptions/listen without a filter': newest('subscriptions/listen'),
  'subscriptions/listen with a wrong filter': newest('subscriptions/listen', {
    notifications: { toolsListChanged: 7 },
  }),
  'a version from the future': newest(
    'tools/list',
    { _meta: { [versionKey]: '2031-01-01' } },
    { 'MCP-Protocol-Version': '2031-01-01' },
  ),
  'an older version in the body': newest(
    'tools/list',
    { _meta: { [versionKey]: '2025-06-18' } },
    { 'MCP-Protocol-Version': '2025-06-18' },
  ),
  'versions that disagree': newest('tools/list', {}, { 'MCP-Protocol-Version': '2025-06-18' }),
  'no version header': newest('tools/list', {}, { 'MCP-Protocol-Version': undefined }),
  'no method header': newest('tools/list', {}, { 'Mcp-Method': undefined }),
  'a wrong method header': newest('tools/list', {}, { 'Mcp-Method': 'ping' }),
  'no name header': newest('prompts/get', { name: 'good__greet' }, { 'Mcp-Name': undefined }),
  'a wrong name header': newest('prompts/get', { name: 'good__greet' }, { 'Mcp-Name': 'other' }),
  'an encoded name header': newest(
    'prompts/get',
    { name: 'good__greet' },
    { 'Mcp-Name': `=?base64?${Buffer.from('good__greet').toString('base64')}?=` },
  ),
  'an invalid encoded name header': newest('prompts/get', { name: 'good__greet' }, { 'Mcp-Name': '=?base64?!?=' }),
  'no client capabilities': newest('tools/list', { _meta: { [capabilitiesKey]: undefined } }),
  'wrong client capabilities': newest('tools/list', { _meta: { [capabilitiesKey]: 7 } }),
  'a number as version': newest('tools/list', { _meta: { [versionKey]: 7 } }),
  'no client info': newest('tools/list', { _meta: { 'io.modelcontextprotocol/clientInfo': undefined } }),
  'a wrong log level': newest('tools/list', { _meta: { 'io.modelcontextprotocol/logLevel': 'loud' } }),
  'the version header without metadata': {
    ...rpc('tools/list'),
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' },
  },
  'a session id': newest('tools/list', {}, { 'Mcp-Session-Id': 'none' }),
  'a notification': {
    ...notification('notifications/cancelled', { requestId: 1, _meta: requestMeta }),
    headers: { 'MCP-Protocol-Version': '2026-07-28' },
  },
  'a notification with a wrong method header': {
    ...notification('notifications/cancelled', { requestId: 1, _meta: requestMeta }),
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'ping' },
  },
  'a notification with the version in the header only': {
    ...notification('notifications/cancelled', { requestId: 1 }),
    headers: { 'MCP-Protocol-Version': '2026-07-28' },
  },
  'in a batch': { body: [newest('tools/list').body] },
  'only JSON accepted': newest('tools/list', {}, { Accept: 'application/json' }),
  'text as content type': newest('tools/list', {}, { 'Content-Type': 'text/plain' }),
};

/** The session is that of somebody else, or none. */
export const unknownSessionRequests: WireRequests = {
  ping: rpc('ping'),
  'tools/call': rpc('tools/call', toolCall),
  notification: notification('notifications/initialized'),
  GET: { method: 'GET', headers: { Accept: 'text/event-stream' } },
  DELETE: { method: 'DELETE' },
};

/** The stream and the end of a session, in this order. */
export const sessionRequests: WireRequests = {
  'GET that accepts JSON': { method: 'GET', headers: { Accept: 'application/json' } },
  'GET with an unknown version': {
    method: 'GET',
    headers: { Accept: 'text/event-stream', 'MCP-Protocol-Version': '1999-01-01' },
  },
  'DELETE with an unknown version': { method: 'DELETE', headers: { 'MCP-Protocol-Version': '1999-01-01' } },
  DELETE: { method: 'DELETE' },
  'DELETE again': { method: 'DELETE' },
};

/** The server without a hub has two methods. */
export const hublessRequests: WireRequests = {
  ...initializeRequests,
  ...Object.fromEntries(
    Object.entries(olderRequests).filter(([name]) => !/raw__|good__|completion|prompts|resources/.test(name)),
  ),
  about: rpc('tools/call', { name: 'about' }),
  how_to_connect: rpc('tools/call', { name: 'how_to_connect' }),
  'newest about': newest('tools/call', { name: 'about' }),
  'newest unknown tool': newest('tools/call', { name: 'none' }),
  'newest tools/list': newest('tools/list'),
  'newest prompts/list': newest('prompts/list'),
  'newest server/discover': newest('server/discover'),
  'newest subscriptions/listen': newest('subscriptions/listen', { notifications: { toolsListChanged: true } }),
  GET: { method: 'GET', headers: { Accept: 'text/event-stream' } },
  DELETE: { method: 'DELETE' },
};
