/** The MCP server at `/mcp`, which belongs to no hub: a few tools that explain how to connect to one. */
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

export type KnownHub = { readonly slug: string; readonly role: string };

/** `hubs` is undefined for a caller without a valid token. */
export type HublessCaller = { readonly hubs: readonly KnownHub[] | undefined };

export type HublessServer = {
  handle(request: Request, parsedBody: unknown, caller: HublessCaller): Promise<Response>;
  close(): Promise<void>;
};

const noInput = { type: 'object', properties: {}, additionalProperties: false } as const;
const readOnly = { readOnlyHint: true, openWorldHint: false };

const tools: readonly Tool[] = [
  {
    name: 'about',
    description: 'Explains what this server is and why it lists so few tools.',
    inputSchema: noInput,
    annotations: readOnly,
  },
  {
    name: 'how_to_connect',
    description: 'Lists the addresses and headers that connect a client to a hub.',
    inputSchema: noInput,
    annotations: readOnly,
  },
  {
    name: 'my_hubs',
    description: 'Lists the hubs that the token of this request opens.',
    inputSchema: noInput,
    annotations: readOnly,
  },
];

/** `baseUrl` is the address of this control plane for callers. */
export function createHublessServer(version: string, baseUrl: () => string): HublessServer {
  const callers = new WeakMap<AuthInfo, HublessCaller>();
  const handler: McpHttpHandler = createMcpHandler(({ authInfo }) => {
    const caller = (authInfo && callers.get(authInfo)) ?? { hubs: undefined };
    return createServer(version, baseUrl(), caller);
  });
  return {
    handle(request, parsedBody, caller) {
      const authInfo: AuthInfo = { token: '', clientId: '', scopes: [] };
      callers.set(authInfo, caller);
      return handler.fetch(request, { authInfo, parsedBody });
    },
    close: () => handler.close(),
  };
}

function createServer(version: string, baseUrl: string, caller: HublessCaller): Server {
  const server = new Server(
    { name: 'vp', title: 'vp hub service', version },
    { capabilities: { tools: {} }, instructions: 'This address belongs to no hub. Call how_to_connect.' },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
    const text = renderToolText(params.name, baseUrl, caller);
    if (text !== undefined) return { content: [{ type: 'text', text }] };
    const toolNames = tools.map(({ name }) => name).join(', ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool; available tools: ${toolNames}`);
  });
  return server;
}

function renderToolText(tool: string, baseUrl: string, { hubs }: HublessCaller): string | undefined {
  if (tool === 'about') return renderAbout(baseUrl);
  if (tool === 'how_to_connect') return renderHowToConnect(baseUrl, hubs);
  return tool === 'my_hubs' ? renderMyHubs(hubs) : undefined;
}

function renderAbout(baseUrl: string): string {
  return [
    'This is a hub service: one governed and audited access point to the tool servers of a team.',
    `The tools of a hub are at ${baseUrl}/agent/mcp (with a token) or ${baseUrl}/hub/<slug>/mcp, not at ${baseUrl}/mcp.`,
  ].join('\n');
}

function renderHowToConnect(baseUrl: string, hubs: HublessCaller['hubs']): string {
  const slug = hubs?.[0]?.slug ?? '<slug>';
  return [
    `With a token: the address ${baseUrl}/agent/mcp and the header "Authorization: Bearer <API_TOKEN>".`,
    `Create a token in the console: choose the hub, Manage, API Tokens, Create token.`,
    `With a browser: the address ${baseUrl}/hub/${slug}/mcp; the client asks for consent by itself.`,
    'Clients load servers when they start: start a new session, then list the servers.',
  ].join('\n');
}

function renderMyHubs(hubs: HublessCaller['hubs']): string {
  if (!hubs) return 'This request has no valid token. Call how_to_connect to learn how to get one.';
  if (hubs.length === 0) return 'The token no longer opens a hub: its owner has left the hub.';
  return hubs.map(({ slug, role }) => `${slug} (${role})`).join('\n');
}
