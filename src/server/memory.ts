/** The addresses of the memory service: with a personal access token, whose hub says what is remembered there. */
import { Type } from '@sinclair/typebox';
import { bearerOf } from '../http/bearer.ts';
import { refusalResponse } from '../hub/door-refusals.ts';
import type { HubDoor, HubEntrance } from '../hub/words.ts';
import type { MemoryHandler } from '../memory/mcp-handler.ts';
import { openRoute, type ServerRoute } from './route.ts';

const Slug = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 100 }) });
const media = ['application/json', 'text/event-stream'];

/** What the routes are made of; the handler is asked for at the first call. */
export type MemoryRouteParts = { readonly door: HubDoor; readonly memory: () => Promise<MemoryHandler> };

/** The routes; the door decides whom they let in. */
export function memoryRoutes({ door, memory }: MemoryRouteParts): ServerRoute[] {
  const answered = async (request: Request, entering: Promise<HubEntrance>): Promise<Response> => {
    const entrance = await entering;
    if (entrance.kind === 'refused') return refusalResponse(entrance);
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
      handler: ({ request, address }) => answered(request, door.agent(tokenOf(request), address)),
    }),
    openRoute({
      method: 'POST',
      path: '/memory/hub/{slug}/mcp',
      operation: 'callMemoryOfHub',
      summary: 'MCP messages to the memory of a hub',
      params: Slug,
      stream: true,
      media,
      handler: ({ request, address, params }) => answered(request, door.hub(params.slug, tokenOf(request), address)),
    }),
  ];
}

/** What is no bearer token is none that anybody was given. */
function tokenOf({ headers }: Request): string | undefined {
  return headers.has('authorization') ? (bearerOf(headers) ?? '') : undefined;
}
