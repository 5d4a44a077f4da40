/** What is offered without a hub: a few tools that say what this is and how to get to the tools one came for. */
import {
  type AuthInfo,
  type CallToolResult,
  createMcpHandler,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';

/** A hub that the caller may use. */
export type KnownHub = { readonly slug: string; readonly role: string };

/** Who asks: `undefined` hubs mean that nobody has shown who it is. */
export type BaselineCaller = { readonly hubs: readonly KnownHub[] | undefined };

/** Answers at the address that belongs to no hub. */
export type Baseline = {
  answer(request: Request, parsedBody: unknown, caller: BaselineCaller): Promise<Response>;
  close(): Promise<void>;
};

const noInput = { type: 'object', properties: {}, additionalProperties: false } as const;
const readOnly = { readOnlyHint: true, openWorldHint: false };

const tools: readonly Tool[] = [
  {
    name: 'about',
    description: 'Tells what this server is, and why it lists so few tools.',
    inputSchema: noInput,
    annotations: readOnly,
  },
  {
    name: 'how_to_connect',
    description: 'Tells the addresses and headers by which a client gets the tools of a hub.',
    inputSchema: noInput,
    annotations: readOnly,
  },
  {
    name: 'my_hubs',
    description: 'Tells which hubs the token that came with this request opens.',
    inputSchema: noInput,
    annotations: readOnly,
  },
];

/** Makes it. `baseUrl` is where callers reach this control plane. */
export function baseline(version: string, baseUrl: () => string): Baseline {
  const callers = new WeakMap<AuthInfo, BaselineCaller>();
  const handler: McpHttpHandler = createMcpHandler(({ authInfo }) => {
    const caller = (authInfo && callers.get(authInfo)) ?? { hubs: undefined };
    return serverFor(version, baseUrl(), caller);
  });
  return {
    answer(request, parsedBody, caller) {
      const authInfo: AuthInfo = { token: '', clientId: '', scopes: [] };
      callers.set(authInfo, caller);
      return handler.fetch(request, { authInfo, parsedBody });
    },
    close: () => handler.close(),
  };
}

function serverFor(version: string, baseUrl: string, caller: BaselineCaller): Server {
  const server = new Server(
    { name: 'vp', title: 'vp hub service', version },
    { capabilities: { tools: {} }, instructions: 'This address belongs to no hub. Call how_to_connect.' },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
    const text = textOf(params.name, baseUrl, caller);
    if (text !== undefined) return { content: [{ type: 'text', text }] };
    const known = tools.map(({ name }) => name).join(', ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no such tool here; there are: ${known}`);
  });
  return server;
}

function textOf(tool: string, baseUrl: string, { hubs }: BaselineCaller): string | undefined {
  if (tool === 'about') return about(baseUrl);
  if (tool === 'how_to_connect') return howToConnect(baseUrl, hubs);
  return tool === 'my_hubs' ? myHubs(hubs) : undefined;
}

function about(baseUrl: string): string {
  return [
    'This is a hub service: one door to the tool servers of a team, governed and audited.',
    `The tools of a hub are at ${baseUrl}/agent/mcp (with a token) or ${baseUrl}/hub/<slug>/mcp, not at ${baseUrl}/mcp.`,
  ].join('\n');
}

function howToConnect(baseUrl: string, hubs: BaselineCaller['hubs']): string {
  const slug = hubs?.[0]?.slug ?? '<slug>';
  return [
    `With a token: the address ${baseUrl}/agent/mcp and the header "Authorization: Bearer <API_TOKEN>".`,
    `Tokens are made in the console: pick the hub, Manage, API Tokens, Create token.`,
    `With a browser: the address ${baseUrl}/hub/${slug}/mcp; the client asks for consent by itself.`,
    'Clients load servers when they start: begin a new session, then list the servers.',
  ].join('\n');
}

function myHubs(hubs: BaselineCaller['hubs']): string {
  if (!hubs)
    return 'No valid token came with this request, so nobody is known here. how_to_connect tells how to get one.';
  if (hubs.length === 0) return 'The token opens no hub any more: its owner has left it.';
  return hubs.map(({ slug, role }) => `${slug} (${role})`).join('\n');
}
