/** The MCP endpoints of hubs. */
import { Type } from '@sinclair/typebox';
import { toVpError } from '../../errors/vp-error.ts';
import { readBearerToken } from '../../http/bearer.ts';
import { readBytes } from '../../http/body.ts';
import type { UnparsedRequest } from '../../hub/gateway/endpoints.ts';
import type { HubRequest } from '../../hub/gateway/gateway.ts';
import { openRoute, type ServerRoute } from '../route.ts';

/** Larger requests of MCP clients are refused. */
const bodyLimitBytes = 4 * 1024 * 1024;
const media = ['application/json', 'text/event-stream'];
const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 100 }) });
const methods = ['POST', 'GET', 'DELETE'] as const;
const operationTexts = {
  POST: ['call', 'MCP messages to'],
  GET: ['listen', 'Messages of servers in a session with'],
  DELETE: ['endSession', 'End a session with'],
} as const;

/** The endpoints authenticate callers themselves. */
export const hubGatewayRoutes: readonly ServerRoute[] = methods.flatMap((method) => {
  const [verb, summary] = operationTexts[method];
  const commonOptions = { method, stream: true, media };
  const credential = 'a token of the hub';
  return [
    openRoute({
      ...commonOptions,
      path: '/agent/mcp',
      credential,
      operation: `${verb}AgentHub`,
      summary: `${summary} the hub of the token`,
      handler: async (call) =>
        handleMcpRequest(call, async (frontRequest) =>
          (await call.services.hubGateway.endpoints()).agent(frontRequest),
        ),
    }),
    openRoute({
      ...commonOptions,
      path: '/hub/{slug}/mcp',
      credential,
      operation: `${verb}Hub`,
      summary: `${summary} a hub`,
      params: Slug,
      handler: async (call) =>
        handleMcpRequest(call, async (frontRequest) =>
          (await call.services.hubGateway.endpoints()).hub(call.params.slug, frontRequest),
        ),
    }),
    openRoute({
      ...commonOptions,
      path: '/mcp',
      operation: `${verb}NoHub`,
      summary: `${summary} no hub: a few tools that explain how to connect`,
      handler: async (call) => {
        call.services.openCallLimiter.take(call.address);
        return handleMcpRequest(call, async (frontRequest) =>
          (await call.services.hubGateway.endpoints()).withoutHub(frontRequest),
        );
      },
    }),
  ];
});

type IncomingMcpRequest = Pick<UnparsedRequest, 'request' | 'address'> & Pick<HubRequest, 'requestId'>;

function handleMcpRequest(
  { request, requestId, address }: IncomingMcpRequest,
  answer: (frontRequest: UnparsedRequest) => Promise<Response>,
): Promise<Response> {
  const bearer = request.headers.has('authorization') ? (readBearerToken(request.headers) ?? '') : undefined;
  return answer({ request, address, bearer, read: () => readMcpRequest(request, requestId) });
}

async function readMcpRequest(request: Request, requestId: string | undefined): Promise<HubRequest | Response> {
  if (request.method !== 'POST') return { request, requestId, body: undefined, bodyBytes: 0 };
  const contentEncoding = request.headers.get('content-encoding') ?? 'identity';
  if (contentEncoding.trim().toLowerCase() !== 'identity')
    return createErrorResponse(415, -32000, 'send the body without a content coding');
  try {
    const bytes = await readBytes(request, bodyLimitBytes);
    const body: unknown = JSON.parse(utf8.decode(bytes));
    return { request, requestId, body, bodyBytes: bytes.length };
  } catch (error) {
    return createUnreadableResponse(error);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** In the form whose message MCP clients display. */
function createUnreadableResponse(thrown: unknown): Response {
  const error = toVpError(thrown);
  if (error.code === 'BODY_TOO_LARGE') return createErrorResponse(413, -32000, error.message);
  return createErrorResponse(400, -32700, 'Parse error');
}

function createErrorResponse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
