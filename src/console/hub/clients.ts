/** What is written where, so that a client finds a hub or another MCP server. */

/** What a snippet needs. `token` may be a placeholder; without one the client signs in by itself in a browser. */
export type McpAddress = { readonly name: string; readonly url: string; readonly token?: string | undefined };

/** A client: its name, where the text goes, and the text. */
export type ClientSnippet = {
  readonly name: string;
  readonly where: string;
  readonly text: (address: McpAddress) => string;
  /** What comes after it where there is a token. */
  readonly withToken: string;
  /** What then opens the browser where there is none. */
  readonly signsIn: string;
};

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

/** Members with the header of the token; none without a token. */
function headersOf({ token }: McpAddress): { headers?: Record<string, string> } {
  return token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
};

function claudeCode({ name, url, token }: McpAddress): string {
  const add = `claude mcp add --transport http ${name} ${url}`;
  return token === undefined ? add : `${add} \\\n  --header "Authorization: Bearer ${token}"`;
}

function codex({ name, url, token }: McpAddress): string {
  const server = `[mcp_servers.${name}]\nurl = "${url}"`;
  if (token === undefined) return server;
  return `# export HUB_TOKEN=${token}\n${server}\nbearer_token_env_var = "HUB_TOKEN"`;
}

function remoteProgram({ name, url, token }: McpAddress): string {
  // A space in an argument is lost by some clients on Windows.
  const header = ['--header', 'Authorization:$' + '{HUB_HEADER}'];
  const args = ['-y', 'mcp-remote', url, ...(token === undefined ? [] : header)];
  const env = token === undefined ? {} : { env: { HUB_HEADER: `Bearer ${token}` } };
  return json({ mcpServers: { [name]: { command: 'npx', args, ...env } } });
}

function curl({ url, token }: McpAddress): string {
  return [
    `curl -i ${url}`,
    ...(token === undefined ? [] : [`-H 'Authorization: Bearer ${token}'`]),
    `-H 'Content-Type: application/json'`,
    `-H 'Accept: application/json, text/event-stream'`,
    `-d '${JSON.stringify(initialize)}'`,
  ].join(' \\\n  ');
}

/** In the order of the choice. */
export const clientSnippets: readonly ClientSnippet[] = [
  {
    name: 'Claude Code',
    where: 'In a terminal.',
    text: claudeCode,
    withToken: 'Then `claude mcp list` shows it as connected.',
    signsIn: 'Then /mcp in a session opens the browser.',
  },
  {
    name: 'Cursor',
    where: 'In ~/.cursor/mcp.json.',
    text: (address) => json({ mcpServers: { [address.name]: { url: address.url, ...headersOf(address) } } }),
    withToken: 'Then load the window anew.',
    signsIn: 'Settings → MCP then shows Connect, which opens the browser.',
  },
  {
    name: 'VS Code',
    where: 'In .vscode/mcp.json.',
    text: (address) => json({ servers: { [address.name]: { type: 'http', url: address.url, ...headersOf(address) } } }),
    withToken: 'It must not be committed with a token in it.',
    signsIn: 'Start above the entry opens the browser.',
  },
  {
    name: 'Codex',
    where: 'In ~/.codex/config.toml.',
    text: codex,
    withToken: 'The token stands in the variable HUB_TOKEN.',
    signsIn: 'Then `codex mcp login` with the name opens the browser.',
  },
  {
    name: 'Gemini CLI',
    where: 'In ~/.gemini/settings.json.',
    text: (address) => json({ mcpServers: { [address.name]: { httpUrl: address.url, ...headersOf(address) } } }),
    withToken: 'Then /mcp in a session shows it as connected.',
    signsIn: 'Then /mcp auth with the name opens the browser.',
  },
  {
    name: 'Claude Desktop and others that start programs',
    where: 'In the client’s file of MCP servers; needs Node.',
    text: remoteProgram,
    withToken: 'Then start the client anew.',
    signsIn: 'The browser opens at the first start.',
  },
  {
    name: 'curl',
    where: 'In a terminal: the first thing to try when something fails.',
    text: curl,
    withToken: '401 says whether the token arrived, and whether it is good.',
    signsIn: 'The answer is 401; its WWW-Authenticate says where clients find the sign-in.',
  },
];
