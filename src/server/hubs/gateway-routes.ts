/** The MCP endpoints of hubs. */
import { Type } from '@sinclair/typebox';
import { readOptionalBearerToken } from '../../http/bearer.ts';
import { type McpReply, toWebResponse } from '../../hub/downstream/mcp-http.ts';
import type { UnparsedRequest } from '../../hub/gateway/message-admission.ts';
import { openRoute, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';

/** An endpoint by its path; `slug` is that of the path, if it has one. */
export type HubEndpoint = {
  readonly path: string;
  answer(services: ServerServices, incoming: UnparsedRequest, slug: string): Promise<McpReply>;
};

/** The endpoints authenticate callers themselves. */
export const mcpEndpoints = {
  agent: {
    path: '/agent/mcp',
    answer: ({ hubGateway }, incoming) => hubGateway.endpoints().then((endpoints) => endpoints.agent(incoming)),
  },
  hub: {
    path: '/hub/{slug}/mcp',
    answer: ({ hubGateway }, incoming, slug) =>
      hubGateway.endpoints().then((endpoints) => endpoints.hub(slug, incoming)),
  },
  noHub: {
    path: '/mcp',
    answer: async ({ hubGateway, openCallLimiter }, incoming) => {
      openCallLimiter.take(incoming.address);
      return (await hubGateway.endpoints()).withoutHub(incoming);
    },
  },
} as const satisfies Readonly<Record<string, HubEndpoint>>;

const media = ['application/json', 'text/event-stream'];
const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 100 }) });
const methods = ['POST', 'GET', 'DELETE'] as const;
const operationTexts = {
  POST: ['call', 'MCP messages to'],
  GET: ['listen', 'Messages of servers in a session with'],
  DELETE: ['endSession', 'End a session with'],
} as const;

export const hubGatewayRoutes: readonly ServerRoute[] = methods.flatMap((method) => {
  const [verb, summary] = operationTexts[method];
  const commonOptions = { method, stream: true, media };
  const credential = 'a token of the hub';
  return [
    openRoute({
      ...commonOptions,
      path: mcpEndpoints.agent.path,
      credential,
      operation: `${verb}AgentHub`,
      summary: `${summary} the hub of the token`,
      handler: async (call) => answerWith(mcpEndpoints.agent, call),
    }),
    openRoute({
      ...commonOptions,
      path: mcpEndpoints.hub.path,
      credential,
      operation: `${verb}Hub`,
      summary: `${summary} a hub`,
      params: Slug,
      handler: async (call) => answerWith(mcpEndpoints.hub, call, call.params.slug),
    }),
    openRoute({
      ...commonOptions,
      path: mcpEndpoints.noHub.path,
      operation: `${verb}NoHub`,
      summary: `${summary} no hub: a few tools that explain how to connect`,
      handler: async (call) => answerWith(mcpEndpoints.noHub, call),
    }),
  ];
});

type McpRouteCall = Omit<UnparsedRequest, 'bearer' | 'request'> & {
  readonly services: ServerServices;
  readonly request: Request;
};

async function answerWith(
  { answer }: HubEndpoint,
  { services, request, requestId, address }: McpRouteCall,
  slug = '',
): Promise<Response> {
  const bearer = readOptionalBearerToken(request.headers);
  return toWebResponse(await answer(services, { request, requestId, address, bearer }, slug));
}
