/** Calls of the newest era without a client, which would take as much of the machine as the servers. */
import { Agent, request } from 'undici';

/** Where to call what; `token` is for hubs. */
export type CallTo = { readonly url: string; readonly name: string; readonly token?: string | undefined };

/** Connections that are used at once. */
export const many = 16;
const dispatcher = new Agent({ connections: many });

/** Ends what is kept open between calls. */
export function closeConnections(): Promise<void> {
  return dispatcher.destroy();
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function prepareRequest(method: string, { token, name }: Partial<CallTo>, params: object) {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(name === undefined ? {} : { 'Mcp-Name': name }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
  return { method: 'POST', headers, body, dispatcher } as const;
}

/** Lists tools; gives the text of the answer. */
export function rawList({ url, token }: Omit<CallTo, 'name'>): () => Promise<string> {
  const options = prepareRequest('tools/list', { token }, {});
  return async () => (await request(url, options)).body.text();
}

/** Makes a call; gives the text of the answer, of a longer one than `maxBytes` what came until then. */
export function rawCall(target: CallTo, maxBytes = Number.POSITIVE_INFINITY): () => Promise<string> {
  const { url, name } = target;
  const options = prepareRequest('tools/call', target, { name, arguments: { text: 'hello' } });
  return async () => {
    const answer = await request(url, options);
    if (maxBytes === Number.POSITIVE_INFINITY) return answer.body.text();
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += chunk.length;
      if (bytes > maxBytes) break;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  };
}
