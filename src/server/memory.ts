/** The addresses of the memory service: by a personal access token, whose hub says what is remembered there, or by what a person granted to a program. */
import { Type } from '@sinclair/typebox';
import { bearerOf } from '../http/bearer.ts';
import { refusalResponse } from '../hub/door-refusals.ts';
import type { HubDoor, HubEntrance } from '../hub/words.ts';
import { memoryScope } from '../identity/oauth/resources.ts';
import type { MemoryHandler } from '../memory/mcp-handler.ts';
import { openRoute, type ServerRoute, type ServerServices } from './route.ts';
import { demandSlug, resourceMetadata } from './well-known.ts';

const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 100 }) });
const media = ['application/json', 'text/event-stream'];

/** What the routes are made of; the handler is asked for at the first call. */
export type MemoryRouteParts = {
  readonly door: HubDoor;
  readonly memory: () => Promise<MemoryHandler>;
};

type Arriving = { readonly request: Request; readonly services: ServerServices };

/** The routes; the door decides whom they let in. */
export function memoryRoutes({ door, memory }: MemoryRouteParts): ServerRoute[] {
  const answered = async (
    { request, services }: Arriving,
    entering: Promise<HubEntrance>,
    slug?: string,
  ): Promise<Response> => {
    const entrance = await entering;
    if (entrance.kind === 'refused') {
      const issuer = services.identity.oauth.issuer();
      const metadata = slug === undefined ? undefined : resourceMetadata(issuer, request, { kind: 'memory', slug });
      return refusalResponse(entrance, metadata, memoryScope);
    }
    return (await memory()).answer(request, entrance.principal);
  };
  return [
    openRoute({
      method: 'POST',
      path: '/memory/mcp',
      operation: 'callMemory',
      summary: 'MCP messages to the memory of the hub of the token',
      stream: true,
      media,
      handler: (call) => answered(call, door.agent(tokenOf(call.request), call.address)),
    }),
    openRoute({
      method: 'POST',
      path: '/memory/hub/{slug}/mcp',
      operation: 'callMemoryOfHub',
      summary: 'MCP messages to the memory of a hub',
      params: Slug,
      stream: true,
      media,
      handler: async (call) => {
        const { request, address, params } = call;
        demandSlug(params.slug, request);
        return answered(call, door.memory(params.slug, tokenOf(request), address), params.slug);
      },
    }),
  ];
}

/** What is no bearer token is none that anybody was given. */
function tokenOf({ headers }: Request): string | undefined {
  return headers.has('authorization') ? (bearerOf(headers) ?? '') : undefined;
}
