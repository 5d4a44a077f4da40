/** The MCP endpoints of the memory service: with a personal access token, whose hub selects the memory, or with an OAuth grant. */
import { Type } from '@sinclair/typebox';
import { readOptionalBearerToken } from '../../http/bearer.ts';
import { toRefusalResponse } from '../../hub/access/refusals.ts';
import { callerLimits, type MessageLimits, readMessage } from '../../hub/gateway/message-reader.ts';
import type { AccessDecision } from '../../hub/types.ts';
import { memoryScope } from '../../identity/oauth/resources/resources.ts';
import { assertSlug, getResourceMetadataUrl } from '../oauth/resource-metadata-routes.ts';
import { openRoute, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';

const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 100 }) });
const media = ['application/json', 'text/event-stream'];

/** An import of a thousand memories of maximum size. */
const importLimits: MessageLimits = { ...callerLimits, maxBytes: 16_777_216, maxValues: 40_000 };

type IncomingMemoryRequest = { readonly request: Request; readonly services: ServerServices };

async function handleMemoryRequest(
  { request, services }: IncomingMemoryRequest,
  pendingDecision: Promise<AccessDecision>,
  slug?: string,
): Promise<Response> {
  const decision = await pendingDecision;
  if (decision.kind === 'refused') {
    const issuer = services.identity.oauth.issuer();
    const metadata = slug === undefined ? undefined : getResourceMetadataUrl(issuer, request, { kind: 'memory', slug });
    return toRefusalResponse(decision, metadata, memoryScope);
  }
  const message = await readMessage(request, importLimits, services.clock);
  if (message instanceof Response) return message;
  return (await services.memory.handler()).handle(request, decision.principal, message.body);
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
    handler: (call) =>
      handleMemoryRequest(
        call,
        call.services.hub.authenticator.agent(readOptionalBearerToken(call.request.headers), call.address),
      ),
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
      const { request, address, params } = call;
      assertSlug(params.slug, request);
      return handleMemoryRequest(
        call,
        call.services.hub.authenticator.memory(params.slug, readOptionalBearerToken(request.headers), address),
        params.slug,
      );
    },
  }),
];
