/** The MCP server of a hub for one request, or for one session of an older era. */
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
import type { HubPrincipal } from '../types.ts';
import { type CallContext, createCallContext } from './call-context.ts';
import type { HubCallService } from './call-service.ts';
import type { CatalogueList, HubCatalogue, MissingConnection } from './catalogue.ts';
import { compareByKey, getPage } from './pagination.ts';
import { toProtocolError } from './protocol-error.ts';
import { statusTool } from './status-tool.ts';

/** State of a session of an older era; requests of the newest era have none. */
export type SessionState = {
  logLevel: string | undefined;
  subscribe(principal: HubPrincipal, uri: string): Promise<void>;
  unsubscribe(uri: string): void;
};

export type HubServerDependencies = {
  readonly catalogue: HubCatalogue;
  readonly calls: HubCallService;
  readonly version: string;
};

/** How long callers may cache lists; earlier changes are sent as notifications. */
const listCache = { ttlMs: 15_000, cacheScope: 'private' } as const;
const readCache = { ttlMs: 0, cacheScope: 'private' } as const;
/** The member of a list's `_meta` that names unavailable connections. */
export const missingConnectionsKey = 'vp/missing_connections';

export function getServerInfo(slug: string, version: string): Implementation {
  return { name: `vp-hub-${slug}`, title: `Hub ${slug}`, version };
}

export function createHubServer(
  dependencies: HubServerDependencies,
  principal: HubPrincipal,
  session: SessionState | undefined,
): Server {
  const { slug } = principal.hub;
  const server = new Server(getServerInfo(slug, dependencies.version), {
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    instructions: `The tools of hub ${slug}, named <connection>__<tool>. ${statusTool.name} reports which connections respond.`,
    cacheHints: {
      'tools/list': listCache,
      'prompts/list': listCache,
      'resources/list': listCache,
      'resources/templates/list': listCache,
      'resources/read': readCache,
    },
  });
  const getContext = (ctx: ServerContext): CallContext =>
    createCallContext(ctx, session && { server, logLevel: session.logLevel });
  handleLists(server, dependencies, getContext);
  handleCalls(server, dependencies, getContext);
  if (session) handleSession(server, session, getContext);
  return server;
}

type GetCallContext = (ctx: ServerContext) => CallContext;

function handleLists(server: Server, { catalogue }: HubServerDependencies, getContext: GetCallContext): void {
  server.setRequestHandler('tools/list', async ({ params }, ctx) => {
    const toolList = await withProtocolErrors(catalogue.tools(getContext(ctx).principal));
    const statusEntry = { publicItem: statusTool, original: statusTool, key: statusTool.name };
    const items = [...toolList.items, statusEntry].sort(compareByKey(({ key }) => key));
    return toListResult({ ...toolList, items }, params?.cursor, (tools: Tool[]) => ({ tools }));
  });
  server.setRequestHandler('prompts/list', async ({ params }, ctx) =>
    toListResult(await withProtocolErrors(catalogue.prompts(getContext(ctx).principal)), params?.cursor, (prompts) => ({
      prompts,
    })),
  );
  server.setRequestHandler('resources/list', async ({ params }, ctx) =>
    toListResult(
      await withProtocolErrors(catalogue.resources(getContext(ctx).principal)),
      params?.cursor,
      (resources) => ({ resources }),
    ),
  );
  server.setRequestHandler('resources/templates/list', async ({ params }, ctx) =>
    toListResult(
      await withProtocolErrors(catalogue.templates(getContext(ctx).principal)),
      params?.cursor,
      (resourceTemplates) => ({
        resourceTemplates,
      }),
    ),
  );
}

function handleCalls(server: Server, { calls }: HubServerDependencies, getContext: GetCallContext): void {
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const context = getContext(ctx);
    return toCallToolResult(await withProtocolErrors(context.startedCall ?? calls.callTool(context, params)));
  });
  server.setRequestHandler('prompts/get', async ({ params }, ctx) => {
    const result = await withProtocolErrors(calls.getPrompt(getContext(ctx), params));
    return { messages: [], ...result };
  });
  server.setRequestHandler('resources/read', async ({ params }, ctx) => {
    const result = await withProtocolErrors(calls.readResource(getContext(ctx), params));
    return { contents: [], ...result };
  });
  server.setRequestHandler('completion/complete', async ({ params }, ctx) => {
    const result = await withProtocolErrors(calls.complete(getContext(ctx), params));
    return { completion: { values: [] }, ...result };
  });
}

function handleSession(server: Server, session: SessionState, getContext: GetCallContext): void {
  const emptyResult: EmptyResult = {};
  server.setRequestHandler('logging/setLevel', async ({ params }) => {
    session.logLevel = params.level;
    return emptyResult;
  });
  server.setRequestHandler('resources/subscribe', async ({ params }, ctx) => {
    await withProtocolErrors(session.subscribe(getContext(ctx).principal, params.uri));
    return emptyResult;
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    session.unsubscribe(params.uri);
    return emptyResult;
  });
}

function toCallToolResult(result: Record<string, unknown>): CallToolResult {
  return { content: [], ...result };
}

function toListResult<T, L extends object>(
  { items, missing }: CatalogueList<T>,
  cursor: string | undefined,
  wrapItems: (publicItems: T[]) => L,
): L & { nextCursor?: string; _meta?: { [missingConnectionsKey]: MissingConnection[] } } {
  const page = getPage(items, cursor, ({ key }) => key);
  return {
    ...wrapItems(page.items.map(({ publicItem }) => publicItem)),
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
    ...(missing.length > 0 ? { _meta: { [missingConnectionsKey]: [...missing] } } : {}),
  };
}

/** Converts errors into protocol errors. */
async function withProtocolErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') throw error;
    if (error instanceof RangeError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw toProtocolError(error);
  }
}
