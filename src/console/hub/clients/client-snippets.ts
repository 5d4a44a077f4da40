/** Configuration snippets that connect MCP clients to a hub or another MCP server. */

/** `token` may be a placeholder. Without one, the client signs in through a browser. */
export type McpEndpoint = { readonly name: string; readonly url: string; readonly token?: string | undefined };

export type ClientSnippet = {
  readonly name: string;
  readonly location: string;
  readonly format: (endpoint: McpEndpoint) => string;
  /** The next step when a token is used. */
  readonly tokenHint: string;
  /** How to start the browser sign-in when no token is used. */
  readonly signInHint: string;
};

function formatJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function buildHeaders({ token }: McpEndpoint): { headers?: Record<string, string> } {
  return token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
};

function claudeCode({ name, url, token }: McpEndpoint): string {
  const add = `claude mcp add --transport http ${name} ${url}`;
  return token === undefined ? add : `${add} \\\n  --header "Authorization: Bearer ${token}"`;
}

function codex({ name, url, token }: McpEndpoint): string {
  const server = `[mcp_servers.${name}]\nurl = "${url}"`;
  if (token === undefined) return server;
  return `# export HUB_TOKEN=${token}\n${server}\nbearer_token_env_var = "HUB_TOKEN"`;
}

function mcpRemote({ name, url, token }: McpEndpoint): string {
  // Some clients on Windows lose spaces in arguments.
  const header = ['--header', 'Authorization:$' + '{HUB_HEADER}'];
  const args = ['-y', 'mcp-remote', url, ...(token === undefined ? [] : header)];
  const env = token === undefined ? {} : { env: { HUB_HEADER: `Bearer ${token}` } };
  return formatJson({ mcpServers: { [name]: { command: 'npx', args, ...env } } });
}

function curl({ url, token }: McpEndpoint): string {
  return [
    `curl -i ${url}`,
    ...(token === undefined ? [] : [`-H 'Authorization: Bearer ${token}'`]),
    `-H 'Content-Type: application/json'`,
    `-H 'Accept: application/json, text/event-stream'`,
    `-d '${JSON.stringify(initialize)}'`,
  ].join(' \\\n  ');
}

export const clientSnippets: readonly ClientSnippet[] = [
  {
    name: 'Claude Code',
    location: 'In a terminal.',
    format: claudeCode,
    tokenHint: 'Then run `claude mcp list` to see it as connected.',
    signInHint: 'Then run `/mcp` in a session to open the browser.',
  },
  {
    name: 'Cursor',
    location: 'In ~/.cursor/mcp.json.',
    format: (endpoint) =>
      formatJson({ mcpServers: { [endpoint.name]: { url: endpoint.url, ...buildHeaders(endpoint) } } }),
    tokenHint: 'Then reload the window.',
    signInHint: 'Then choose Connect under Settings → MCP to open the browser.',
  },
  {
    name: 'VS Code',
    location: 'In .vscode/mcp.json.',
    format: (endpoint) =>
      formatJson({ servers: { [endpoint.name]: { type: 'http', url: endpoint.url, ...buildHeaders(endpoint) } } }),
    tokenHint: 'Do not commit the file with a token in it.',
    signInHint: 'Choose Start above the entry to open the browser.',
  },
  {
    name: 'Codex',
    location: 'In ~/.codex/config.toml.',
    format: codex,
    tokenHint: 'Codex reads the token from the environment variable HUB_TOKEN.',
    signInHint: 'Then run `codex mcp login` with the name to open the browser.',
  },
  {
    name: 'Gemini CLI',
    location: 'In ~/.gemini/settings.json.',
    format: (endpoint) =>
      formatJson({ mcpServers: { [endpoint.name]: { httpUrl: endpoint.url, ...buildHeaders(endpoint) } } }),
    tokenHint: 'Then run `/mcp` in a session to see it as connected.',
    signInHint: 'Then run `/mcp auth` with the name to open the browser.',
  },
  {
    name: 'Claude Desktop and other clients that start commands',
    location: 'In the MCP server configuration of the client. Requires Node.js.',
    format: mcpRemote,
    tokenHint: 'Then restart the client.',
    signInHint: 'The browser opens when the client first starts.',
  },
  {
    name: 'curl',
    location: 'In a terminal. Try this first when something fails.',
    format: curl,
    tokenHint: 'A 401 response says whether the token is missing or invalid.',
    signInHint: 'The response is 401. Its WWW-Authenticate header says where clients sign in.',
  },
];
