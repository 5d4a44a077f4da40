/** What is written where, so that a client finds a hub. */

/** What a snippet needs; `token` may be a placeholder. */
export type HubAddress = { readonly slug: string; readonly url: string; readonly token: string };

/** A client: its name, where the text goes, and the text. */
export type ClientSnippet = {
  readonly name: string;
  readonly where: string;
  readonly text: (address: HubAddress) => string;
};

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function headersOf({ token }: HubAddress): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
};

/** In the order of the choice. */
export const clientSnippets: readonly ClientSnippet[] = [
  {
    name: 'Claude Code',
    where: 'In a terminal; then `claude mcp list` shows it as connected.',
    text: ({ slug, url, token }) =>
      `claude mcp add --transport http ${slug} ${url} \\\n  --header "Authorization: Bearer ${token}"`,
  },
  {
    name: 'Cursor',
    where: 'In ~/.cursor/mcp.json; then load the window anew.',
    text: (address) => json({ mcpServers: { [address.slug]: { url: address.url, headers: headersOf(address) } } }),
  },
  {
    name: 'VS Code',
    where: 'In .vscode/mcp.json, which must not be committed with the token in it.',
    text: (address) =>
      json({ servers: { [address.slug]: { type: 'http', url: address.url, headers: headersOf(address) } } }),
  },
  {
    name: 'Codex',
    where: 'In ~/.codex/config.toml, with the token in the variable HUB_TOKEN.',
    text: ({ slug, url, token }) =>
      `# export HUB_TOKEN=${token}\n[mcp_servers.${slug}]\nurl = "${url}"\nbearer_token_env_var = "HUB_TOKEN"`,
  },
  {
    name: 'Gemini CLI',
    where: 'In ~/.gemini/settings.json.',
    text: (address) => json({ mcpServers: { [address.slug]: { httpUrl: address.url, headers: headersOf(address) } } }),
  },
  {
    name: 'Claude Desktop and others that start programs',
    where: 'In the client’s file of MCP servers; needs Node.',
    text: ({ slug, url, token }) =>
      json({
        mcpServers: {
          [slug]: {
            command: 'npx',
            // A space in an argument is lost by some clients on Windows.
            args: ['-y', 'mcp-remote', url, '--header', 'Authorization:$' + '{HUB_HEADER}'],
            env: { HUB_HEADER: `Bearer ${token}` },
          },
        },
      }),
  },
  {
    name: 'curl',
    where: 'In a terminal: the first thing to try when something fails. 401 says whether the token arrived.',
    text: ({ url, token }) =>
      [
        `curl -i ${url}`,
        `-H 'Authorization: Bearer ${token}'`,
        `-H 'Content-Type: application/json'`,
        `-H 'Accept: application/json, text/event-stream'`,
        `-d '${JSON.stringify(initialize)}'`,
      ].join(' \\\n  '),
  },
];
