/** MCP messages posted by hand, so that they can be wrong. */

/** What every client sends. */
export const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** Posts a body, for the person whose name is the bearer token. */
export function post(
  url: string,
  bearer: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const all = { ...json, Authorization: `Bearer ${bearer}`, ...headers };
  return fetch(url, { method: 'POST', headers: all, body: JSON.stringify(body) });
}

/** The beginning of a session of an older era. */
export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
};

/** What each request of the newest era carries. */
export const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The headers that say what such a request says. */
export function modern(method: string, name: string): Record<string, string> {
  return { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, 'Mcp-Name': name };
}

/** A tool call of the newest era, with its headers. */
export function toolCall(
  name: string,
  args: unknown,
  more: Record<string, unknown> = {},
): readonly [body: Record<string, unknown>, headers: Record<string, string>] {
  const params = { name, arguments: args, _meta: { ...meta, ...more } };
  return [{ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, modern('tools/call', name)];
}
