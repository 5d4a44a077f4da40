/** A small MCP server for a hub to connect to: what its first tool says of itself can be changed. */
import type { TlsOptions } from 'node:tls';
import type { Test } from 'tap';
import { httpTarget } from '../targets/http-target.ts';

/** Changed by tests. */
export type ToolServer = { readonly url: string; description: string };

type Message = { readonly id?: unknown; readonly method?: string; readonly params?: Record<string, unknown> };

function resultOf(description: string, { method, params = {} }: Message): unknown {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'weather', version: '1.0.0' } };
  }
  if (method === 'tools/list') {
    return { tools: [{ ...forecast, description }, wipe] };
  }
  if (method === 'tools/call') {
    const text = params.name === forecast.name ? 'dry' : `wiped ${JSON.stringify(params.arguments)}`;
    return { content: [{ type: 'text', text }] };
  }
  return undefined;
}

const forecast = {
  name: 'forecast',
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', title: 'City', description: 'Where it is asked for.' },
      days: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
      unit: { enum: ['C', 'F'] },
      exact: { type: 'boolean' },
    },
    required: ['city'],
  },
  annotations: { readOnlyHint: true },
};
const wipe = {
  name: 'wipe',
  description: 'Forgets all that was ever measured in a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  annotations: { readOnlyHint: false, destructiveHint: true },
};

/** Starts it for the length of a test; with `tls` over TLS, under the name `localhost`. */
export async function toolServer(t: Test, tls?: TlsOptions): Promise<ToolServer> {
  const target = await httpTarget((_, response, { method, body }) => {
    const answer = (status: number, said?: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(said && JSON.stringify(said));
    };
    if (method !== 'POST') return answer(405);
    const message: Message = JSON.parse(body);
    if (message.id === undefined) return answer(202);
    const result = resultOf(server.description, message);
    const said = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    return answer(200, { jsonrpc: '2.0', id: message.id, ...said });
  }, tls);
  t.teardown(() => target.close());
  const server: ToolServer = { url: `${target.origin}/mcp`, description: 'Tells the weather of a city.' };
  return server;
}
