/** The MCP server of a hub as one caller, or one session of an older era, meets it. */
import {
  type CallToolResult,
  type EmptyResult,
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { HubPrincipal } from '../words.ts';
import { type Caller, callerOf } from './caller.ts';
import type { Catalogue, Gathered, MissingConnection } from './catalogue.ts';
import type { HubCalls } from './hub-calls.ts';
import { byKey, pageOf } from './pages.ts';
import { protocolError } from './protocol-error.ts';
import { statusTool } from './status-tool.ts';

/** What a session of an older era keeps; a request of the newest one has none. */
export type ServedSession = {
  logLevel: string | undefined;
  subscribe(principal: HubPrincipal, uri: string): Promise<void>;
  unsubscribe(uri: string): void;
};

/** What servers are made with. */
export type HubServerParts = {
  readonly catalogue: Catalogue;
  readonly calls: HubCalls;
  readonly version: string;
};

/** How long callers may keep lists: what changes before is told to those who listen. */
const listCache = { ttlMs: 15_000, cacheScope: 'private' } as const;
const readCache = { ttlMs: 0, cacheScope: 'private' } as const;
/** Where a list says which connections it lacks. */
export const missingKey = 'vp/missing_connections';

/** How a hub names itself. */
export function identityOf(slug: string, version: string): Implementation {
  return { name: `vp-hub-${slug}`, title: `Hub ${slug}`, version };
}

/** Makes one. */
export function hubServer(parts: HubServerParts, principal: HubPrincipal, session: ServedSession | undefined): Server {
  const { slug } = principal.hub;
  const server = new Server(identityOf(slug, parts.version), {
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    instructions: `The tools of hub ${slug}, named <connection>__<tool>. ${statusTool.name} tells which connections answer.`,
    cacheHints: {
      'tools/list': listCache,
      'prompts/list': listCache,
      'resources/list': listCache,
      'resources/templates/list': listCache,
      'resources/read': readCache,
    },
  });
  const caller = (ctx: ServerContext): Caller => callerOf(ctx, session && { server, logLevel: session.logLevel });
  handleLists(server, parts, caller);
  handleCalls(server, parts, caller);
  if (session) handleSession(server, session, caller);
  return server;
}

type CallerFor = (ctx: ServerContext) => Caller;

function handleLists(server: Server, { catalogue }: HubServerParts, caller: CallerFor): void {
  server.setRequestHandler('tools/list', async ({ params }, ctx) => {
    const gathered = await told(catalogue.tools(caller(ctx).principal));
    const own = { shown: statusTool, original: statusTool, key: statusTool.name };
    const items = [...gathered.items, own].sort(byKey(({ key }) => key));
    return listOf({ ...gathered, items }, params?.cursor, (tools: Tool[]) => ({ tools }));
  });
  server.setRequestHandler('prompts/list', async ({ params }, ctx) =>
    listOf(await told(catalogue.prompts(caller(ctx).principal)), params?.cursor, (prompts) => ({ prompts })),
  );
  server.setRequestHandler('resources/list', async ({ params }, ctx) =>
    listOf(await told(catalogue.resources(caller(ctx).principal)), params?.cursor, (resources) => ({ resources })),
  );
  server.setRequestHandler('resources/templates/list', async ({ params }, ctx) =>
    listOf(await told(catalogue.templates(caller(ctx).principal)), params?.cursor, (resourceTemplates) => ({
      resourceTemplates,
    })),
  );
}

function handleCalls(server: Server, { calls }: HubServerParts, caller: CallerFor): void {
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const who = caller(ctx);
    return callResult(await told(who.made ?? calls.callTool(who, params)));
  });
  server.setRequestHandler('prompts/get', async ({ params }, ctx) => {
    const result = await told(calls.getPrompt(caller(ctx), params));
    return { messages: [], ...result };
  });
  server.setRequestHandler('resources/read', async ({ params }, ctx) => {
    const result = await told(calls.readResource(caller(ctx), params));
    return { contents: [], ...result };
  });
  server.setRequestHandler('completion/complete', async ({ params }, ctx) => {
    const result = await told(calls.complete(caller(ctx), params));
    return { completion: { values: [] }, ...result };
  });
}

function handleSession(server: Server, session: ServedSession, caller: CallerFor): void {
  const done: EmptyResult = {};
  server.setRequestHandler('logging/setLevel', async ({ params }) => {
    session.logLevel = params.level;
    return done;
  });
  server.setRequestHandler('resources/subscribe', async ({ params }, ctx) => {
    await told(session.subscribe(caller(ctx).principal, params.uri));
    return done;
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    session.unsubscribe(params.uri);
    return done;
  });
}

function callResult(result: Record<string, unknown>): CallToolResult {
  return { content: [], ...result };
}

function listOf<T, L extends object>(
  { items, missing }: Gathered<T>,
  cursor: string | undefined,
  shape: (shown: T[]) => L,
): L & { nextCursor?: string; _meta?: { [missingKey]: MissingConnection[] } } {
  const page = pageOf(items, cursor, ({ key }) => key);
  return {
    ...shape(page.items.map(({ shown }) => shown)),
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
    ...(missing.length > 0 ? { _meta: { [missingKey]: [...missing] } } : {}),
  };
}

/** Errors of ours as the protocol tells them. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') throw error;
    if (error instanceof RangeError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw protocolError(error);
  }
}
