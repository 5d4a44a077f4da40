/** A small MCP server for hubs. The description of its first tool can be changed, and tools can be added. */
import type { TlsOptions } from 'node:tls';
import type { Test } from 'tap';
import { startHttpTarget } from '../targets/http-target.ts';

/** Tests may change `description` and `addedTools`. */
export type WeatherServer = { readonly url: string; description: string; addedTools: readonly object[] };

type JsonRpcMessage = { readonly id?: unknown; readonly method?: string; readonly params?: Record<string, unknown> };

function createResult({ description, addedTools }: WeatherServer, { method, params = {} }: JsonRpcMessage): unknown {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'weather', version: '1.0.0' } };
  }
  if (method === 'tools/list') {
    return { tools: [{ ...forecast, description }, wipe, ...addedTools] };
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

/** Starts a server for the duration of the test; with `tls`, over TLS with the name `localhost`. */
export async function startWeatherServer(t: Test, tls?: TlsOptions): Promise<WeatherServer> {
  const target = await startHttpTarget((_, response, { method, body }) => {
    const respond = (status: number, content?: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(content && JSON.stringify(content));
    };
    if (method !== 'POST') return respond(405);
    const message: JsonRpcMessage = JSON.parse(body);
    if (message.id === undefined) return respond(202);
    const result = createResult(server, message);
    const content = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    return respond(200, { jsonrpc: '2.0', id: message.id, ...content });
  }, tls);
  t.teardown(() => target.close());
  const server: WeatherServer = {
    url: `${target.origin}/mcp`,
    description: 'Tells the weather of a city.',
    addedTools: [],
  };
  return server;
}
