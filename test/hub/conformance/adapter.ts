/**
 * Stands between the conformance suite and a hub: the suite can send no token and uses the upstream's names, so the
 * adapter adds the token and translates names to the hub's public names.
 */
import type { Test } from 'tap';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

const namedMethods = new Set(['tools/call', 'prompts/get']);
const encodedHeaderPattern = /^=\?base64\?(.*)\?=$/;
const connectionOnly = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

export type AdapterTarget = { readonly url: string; readonly token: string; readonly connection: string };

/** Runs as long as the test. */
export async function startAdapter(t: Pick<Test, 'teardown'>, target: AdapterTarget): Promise<TestServer> {
  const server: TestServer = await startTestServer(t, (request) => forward(request, target, new URL(server.url)));
  return server;
}

async function forward(request: Request, { url, token, connection }: AdapterTarget, name: URL): Promise<Response> {
  const headers = new Headers([...request.headers].filter(([name]) => !connectionOnly.has(name)));
  headers.set('authorization', `Bearer ${token}`);
  // A same-origin request stays one at the hub; a foreign origin is passed on.
  if (headers.get('origin') === name.origin) headers.set('origin', new URL(url).origin);
  const mcpName = headers.get('mcp-name');
  // The name of a request about a task is its id.
  if (mcpName !== null && !headers.get('mcp-method')?.startsWith('tasks/'))
    headers.set(
      'mcp-name',
      mapEncoded(mcpName, (name) => toHubName(name, connection)),
    );
  const body = request.method === 'POST' ? translateRequest(await request.text(), connection) : null;
  const { signal, method } = request;
  const response = await fetch(url, { method, headers, body, signal });
  const responseHeaders = new Headers([...response.headers].filter(([name]) => !connectionOnly.has(name)));
  return new Response(response.body && translateResponse(response.body, connection), {
    status: response.status,
    headers: responseHeaders,
  });
}

/** The public name or URI. */
function toHubName(name: string, connection: string): string {
  if (name === '') return name;
  return name.includes('://') ? `hub.${connection}+${name}` : `${connection}__${name}`;
}

function mapEncoded(value: string, mapValue: (value: string) => string): string {
  const encodedValue = encodedHeaderPattern.exec(value)?.[1];
  if (encodedValue === undefined) return mapValue(value);
  const mapped = mapValue(Buffer.from(encodedValue, 'base64').toString());
  return `=?base64?${Buffer.from(mapped).toString('base64')}?=`;
}

function translateRequest(text: string, connection: string): string {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return text;
  }
  const { method, params } = Object(message);
  if (typeof params !== 'object' || params === null) return text;
  if (namedMethods.has(method) && typeof params.name === 'string') params.name = toHubName(params.name, connection);
  if (typeof params.uri === 'string') params.uri = toHubName(params.uri, connection);
  if (typeof params.ref?.name === 'string') params.ref.name = toHubName(params.ref.name, connection);
  if (typeof params.ref?.uri === 'string') params.ref.uri = toHubName(params.ref.uri, connection);
  return JSON.stringify(message);
}

/** Line by line, as events arrive. */
function translateResponse(body: ReadableStream<Uint8Array>, connection: string): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let pendingText = '';
  const translateLine = (line: string): Uint8Array =>
    encoder.encode(line.replaceAll(`hub.${connection}+`, '').replaceAll(`"name":"${connection}__`, '"name":"'));
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const lines = (pendingText + decoder.decode(chunk, { stream: true })).split('\n');
        pendingText = lines.pop() ?? '';
        for (const line of lines) controller.enqueue(translateLine(`${line}\n`));
      },
      flush(controller) {
        if (pendingText !== '') controller.enqueue(translateLine(pendingText));
      },
    }),
  );
}
