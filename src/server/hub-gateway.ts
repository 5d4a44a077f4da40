/** The addresses where MCP clients reach hubs. */
import { Type } from '@sinclair/typebox';
import { asVpError } from '../errors/vp-error.ts';
import { bearerOf } from '../http/bearer.ts';
import { readBytes } from '../http/body.ts';
import type { FrontRequest, HubFront } from '../hub/gateway/front.ts';
import type { HubRequest } from '../hub/gateway/gateway.ts';
import { openRoute, type ServerRoute } from './route.ts';

/** Larger requests of MCP clients are refused. */
const bodyLimitBytes = 4 * 1024 * 1024;
const media = ['application/json', 'text/event-stream'];
const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 100 }) });
const methods = ['POST', 'GET', 'DELETE'] as const;
const words = {
  POST: ['call', 'MCP messages to'],
  GET: ['listen', 'What servers say of themselves in a session of'],
  DELETE: ['endSession', 'The end of a session of'],
} as const;

/** The routes of `front`; it decides itself whom it lets in. */
export function hubGatewayRoutes(front: () => Promise<HubFront>): ServerRoute[] {
  return methods.flatMap((method) => {
    const [verb, summary] = words[method];
    const shared = { method, stream: true, media };
    return [
      openRoute({
        ...shared,
        path: '/agent/mcp',
        operation: `${verb}AgentHub`,
        summary: `${summary} the hub of the token`,
        handler: async (call) => answered(call, async (asked) => (await front()).agent(asked)),
      }),
      openRoute({
        ...shared,
        path: '/hub/{slug}/mcp',
        operation: `${verb}Hub`,
        summary: `${summary} a hub`,
        params: Slug,
        handler: async (call) => answered(call, async (asked) => (await front()).hub(call.params.slug, asked)),
      }),
      openRoute({
        ...shared,
        path: '/mcp',
        operation: `${verb}NoHub`,
        summary: `${summary} no hub: a few tools that say how to connect`,
        handler: async (call) => {
          call.services.openCalls.take(call.address);
          return answered(call, async (asked) => (await front()).bare(asked));
        },
      }),
    ];
  });
}

type Arriving = Pick<FrontRequest, 'request' | 'address'> & Pick<HubRequest, 'requestId'>;

function answered(
  { request, requestId, address }: Arriving,
  answer: (asked: FrontRequest) => Promise<Response>,
): Promise<Response> {
  const bearer = request.headers.has('authorization') ? (bearerOf(request.headers) ?? '') : undefined;
  return answer({ request, address, bearer, read: () => readRequest(request, requestId) });
}

async function readRequest(request: Request, requestId: string | undefined): Promise<HubRequest | Response> {
  if (request.method !== 'POST') return { request, requestId, body: undefined, bodyBytes: 0 };
  const coding = request.headers.get('content-encoding') ?? 'identity';
  if (coding.trim().toLowerCase() !== 'identity') return refused(415, -32000, 'send the body in no content coding');
  try {
    const bytes = await readBytes(request, bodyLimitBytes);
    const body: unknown = JSON.parse(utf8.decode(bytes));
    return { request, requestId, body, bodyBytes: bytes.length };
  } catch (error) {
    return unreadable(error);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** In the form whose text clients of MCP show to people. */
function unreadable(thrown: unknown): Response {
  const error = asVpError(thrown);
  if (error.code === 'BODY_TOO_LARGE') return refused(413, -32000, error.message);
  return refused(400, -32700, 'Parse error');
}

function refused(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
