/** The MCP endpoints of the memory service: with a personal access token, whose hub selects the memory, or with an OAuth grant. */
import { Type } from '@sinclair/typebox';
import { readOptionalBearerToken } from '../../http/bearer.ts';
import { toWebResponse } from '../../hub/downstream/mcp-http.ts';
import { assertSlug } from '../oauth/resource-metadata-routes.ts';
import { openRoute, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';

const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 100 }) });
const media = ['application/json', 'text/event-stream'];

type IncomingMemoryRequest = {
  readonly request: Request;
  readonly services: ServerServices;
  readonly address: string;
  readonly requestId: string | undefined;
};

async function handleMemoryRequest(
  { request, services, address, requestId }: IncomingMemoryRequest,
  slug?: string,
): Promise<Response> {
  const bearer = readOptionalBearerToken(request.headers);
  const endpoints = await services.hubGateway.endpoints();
  const reply = await endpoints.memory(slug, { request, bearer, address, requestId }, async (caller, body) =>
    (await services.memory.handler()).handle(withoutBody(request), caller, body),
  );
  return toWebResponse(reply);
}

/** The body was read. A client that names no type, or every type, accepts ours (RFC 9110 section 12.5.1); the SDK wants them named. */
function withoutBody({ url, method, headers, signal }: Request): Request {
  const accepted = new Headers(headers);
  const accept = headers.get('accept');
  if (accept === null || accept.includes('*/*')) accepted.set('accept', media.join(', '));
  return new Request(url, { method, headers: accepted, signal });
}

export const memoryRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'POST',
    path: '/memory/mcp',
    operation: 'callMemory',
    summary: 'MCP messages to the memory of the hub of the token',
    credential: 'a token of the hub',
    stream: true,
    media,
    handler: (call) => handleMemoryRequest(call),
  }),
  openRoute({
    method: 'POST',
    path: '/memory/hub/{slug}/mcp',
    operation: 'callMemoryOfHub',
    summary: 'MCP messages to the memory of a hub',
    params: Slug,
    credential: 'a token of the hub',
    stream: true,
    media,
    handler: async (call) => {
      const { slug } = call.params;
      assertSlug(slug, call.request);
      return handleMemoryRequest(call, slug);
    },
  }),
];
