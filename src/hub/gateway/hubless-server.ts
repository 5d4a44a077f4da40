/** The MCP server at `/mcp`, which belongs to no hub: a few tools that explain how to connect to one. */

import {
  type CallToolResult,
  isJSONRPCRequest,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import { defaultMaxSessions } from '../context.ts';
import type { McpReply, McpRequest } from '../downstream/mcp-http.ts';
import { mergeResponses } from '../downstream/merged-stream.ts';
import { toNewestResult } from '../downstream/newest-result.ts';
import { parseRpcParams } from '../downstream/request-params.ts';
import { findOlderRefusal, type RequestRoute, routeRequest } from '../downstream/request-route.ts';
import {
  createMethodNotAllowedResponse,
  createRpcErrorResponse,
  formatResult,
  formatRpcError,
  type RpcId,
  toRpcError,
} from '../downstream/rpc-response.ts';
import {
  createDiscoverResult,
  createInitializeResult,
  type ServerDescription,
} from '../downstream/server-description.ts';
import { Subscriptions } from '../downstream/subscriptions.ts';
import { createUnknownMethodError } from './protocol-error.ts';

export type KnownHub = { readonly slug: string; readonly role: string };

/** `hubs` is undefined for a caller without a valid token. */
export type HublessCaller = { readonly hubs: readonly KnownHub[] | undefined };

export type HublessServer = {
  handle(request: McpRequest, parsedBody: unknown, caller: HublessCaller): Promise<McpReply>;
  close(): Promise<void>;
};

const noInput = { type: 'object', properties: {}, additionalProperties: false } as const;
const readOnly = { readOnlyHint: true, openWorldHint: false };

const tools: readonly Tool[] = [
  {
    name: 'about',
    description: 'Explains what this server is and why it lists so few tools.',
    inputSchema: noInput,
    annotations: readOnly,
  },
  {
    name: 'how_to_connect',
    description: 'Lists the addresses and headers that connect a client to a hub.',
    inputSchema: noInput,
    annotations: readOnly,
  },
  {
    name: 'my_hubs',
    description: 'Lists the hubs that the token of this request opens.',
    inputSchema: noInput,
    annotations: readOnly,
  },
];

/** `baseUrl` is the address of this control plane for callers. */
export function createHublessServer(
  clock: Pick<Clock, 'after'>,
  version: string,
  baseUrl: () => string,
): HublessServer {
  const subscriptions = new Subscriptions(clock, defaultMaxSessions);
  const description: ServerDescription = {
    info: { name: 'vp', title: 'vp hub service', version },
    capabilities: { tools: {} },
    instructions: 'This address belongs to no hub. Call how_to_connect.',
  };
  return {
    async handle(request, parsedBody, caller) {
      const { headers, signal, method } = request;
      if (method !== 'POST') return createMethodNotAllowedResponse('POST');
      const route = routeRequest(headers, parsedBody);
      if (route.kind === 'refused') return route.response;
      if (route.kind === 'newestNotification') return new Response(null, { status: 202 });
      const tools = createTools(baseUrl(), caller);
      if (route.kind === 'older')
        return findOlderRefusal(headers, route.messages) ?? respondToOlder(description, tools, route);
      if (route.message.method !== 'subscriptions/listen') return respondToNewest(description, tools, route.message);
      // Nothing here changes.
      const { id } = route.message;
      const listen = () => () => {};
      return subscriptions.start({ id, filter: {}, personId: '', server: description.info, signal, listen });
    },
    close: async () => subscriptions.close(),
  };
}

type Tools = { call(name: string): CallToolResult };

function createTools(baseUrl: string, caller: HublessCaller): Tools {
  return {
    call(name) {
      const text = renderToolText(name, baseUrl, caller);
      if (text !== undefined) return { content: [{ type: 'text', text }] };
      const toolNames = tools.map((tool) => tool.name).join(', ');
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool; available tools: ${toolNames}`);
    },
  };
}

/** The responses to all requests, on one stream for a batch. */
function respondToOlder(
  description: ServerDescription,
  callableTools: Tools,
  { messages, isBatch }: Extract<RequestRoute, { readonly kind: 'older' }>,
): Response {
  const responses = messages.filter(isJSONRPCRequest).map(({ id, method, params }) =>
    toJsonResponse(id, () => {
      if (method === 'initialize') return createInitializeResult(description, parseRpcParams(method, params));
      if (method === 'ping') return {};
      return answer(callableTools, method, params);
    }),
  );
  const [response] = responses;
  if (!response) return new Response(null, { status: 202 });
  return isBatch ? mergeResponses(responses.map((single) => Promise.resolve(single))) : response;
}

function respondToNewest(
  description: ServerDescription,
  callableTools: Tools,
  { id, method, params }: JSONRPCRequest,
): Response {
  const isDiscovery = method === 'server/discover';
  if (!isDiscovery && method !== 'tools/list' && method !== 'tools/call')
    return createRpcErrorResponse(404, toRpcError(createUnknownMethodError()), id);
  return toJsonResponse(id, () => {
    const result = isDiscovery ? createDiscoverResult(description) : answer(callableTools, method, params);
    return toNewestResult(method, result, description.info);
  });
}

/** Throws MethodNotFound, InvalidParams. */
function answer(callableTools: Tools, method: string, params: JSONRPCRequest['params']): Record<string, unknown> {
  if (method === 'tools/call') return callableTools.call(parseRpcParams(method, params).name);
  if (method !== 'tools/list') throw createUnknownMethodError();
  parseRpcParams(method, params);
  return { tools };
}

function toJsonResponse(id: RpcId, createResult: () => Record<string, unknown>): Response {
  const headers = { 'Content-Type': 'application/json' };
  try {
    return new Response(formatResult(id, JSON.stringify(createResult())), { headers });
  } catch (error) {
    return new Response(formatRpcError(id, toRpcError(error)), { headers });
  }
}

function renderToolText(tool: string, baseUrl: string, { hubs }: HublessCaller): string | undefined {
  if (tool === 'about') return renderAbout(baseUrl);
  if (tool === 'how_to_connect') return renderHowToConnect(baseUrl, hubs);
  return tool === 'my_hubs' ? renderMyHubs(hubs) : undefined;
}

function renderAbout(baseUrl: string): string {
  return [
    'This is a hub service: one governed and audited access point to the tool servers of a team.',
    `The tools of a hub are at ${baseUrl}/agent/mcp (with a token) or ${baseUrl}/hub/<slug>/mcp, not at ${baseUrl}/mcp.`,
  ].join('\n');
}

function renderHowToConnect(baseUrl: string, hubs: HublessCaller['hubs']): string {
  const slug = hubs?.[0]?.slug ?? '<slug>';
  return [
    `With a token: the address ${baseUrl}/agent/mcp and the header "Authorization: Bearer <API_TOKEN>".`,
    `Create a token in the console: choose the hub, Manage, API Tokens, Create token.`,
    `With a browser: the address ${baseUrl}/hub/${slug}/mcp; the client asks for consent by itself.`,
    'Clients load servers when they start: start a new session, then list the servers.',
  ].join('\n');
}

function renderMyHubs(hubs: HublessCaller['hubs']): string {
  if (!hubs) return 'This request has no valid token. Call how_to_connect to learn how to get one.';
  if (hubs.length === 0) return 'The token no longer opens a hub: its owner has left the hub.';
  return hubs.map(({ slug, role }) => `${slug} (${role})`).join('\n');
}
