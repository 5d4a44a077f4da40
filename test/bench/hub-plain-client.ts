/** A client of MCP that is not ours: node:http, an object per call, in each revision. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export type Revision = '2025-06-18' | '2025-11-25' | '2026-07-28';
export type PlainTarget = { readonly url: string; readonly token?: string | undefined };
export type PlainCall = {
  readonly tool: string;
  readonly progress?: boolean;
  readonly vendorMeta?: boolean;
  /** The length of the text that is answered. */
  readonly bytes?: number;
};

type PlainResponse = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const clientInfo = { name: 'bench', version: '1' };

/** Ends the connections that are kept open between calls. */
export function closePlainConnections(): void {
  agent.destroy();
}

function post({ url, token }: PlainTarget, message: object, headers: Record<string, string>): Promise<PlainResponse> {
  const body = JSON.stringify(message);
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      agent,
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        Accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('error', reject);
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
    });
    outgoing.end(body);
  });
}

/** Starts a session where the revision has them; returns one call, which throws unless it is answered as it should be. */
export async function openPlainClient(
  target: PlainTarget,
  revision: Revision,
  { tool, progress = false, vendorMeta = false, bytes = 0 }: PlainCall,
): Promise<() => Promise<void>> {
  const isModern = revision === '2026-07-28';
  const headers: Record<string, string> = { 'MCP-Protocol-Version': revision };
  if (isModern) Object.assign(headers, { 'Mcp-Method': 'tools/call', 'Mcp-Name': tool });
  else {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo };
    const started = await post(target, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, {});
    const sessionId = started.headers['mcp-session-id'];
    if (typeof sessionId === 'string') headers['Mcp-Session-Id'] = sessionId;
    await post(target, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  }
  let id = 0;
  return async () => {
    id += 1;
    const meta = {
      ...(isModern
        ? {
            'io.modelcontextprotocol/protocolVersion': revision,
            'io.modelcontextprotocol/clientInfo': clientInfo,
            'io.modelcontextprotocol/clientCapabilities': {},
          }
        : {}),
      ...(progress ? { progressToken: `p${id}` } : {}),
      ...(vendorMeta ? { 'example.com/trace': { span: id } } : {}),
    };
    const args = bytes === 0 ? { text: 'hello' } : { bytes };
    const params = { name: tool, arguments: args, _meta: meta };
    const { status, text } = await post(target, { jsonrpc: '2.0', id, method: 'tools/call', params }, headers);
    const isComplete = status === 200 && (bytes === 0 ? text.includes('"hello"') : text.length > bytes);
    if (!isComplete || (progress && text.split('notifications/progress').length < 4))
      throw new Error(`${status} ${text.slice(0, 300)}`);
  };
}
