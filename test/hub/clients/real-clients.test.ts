/** Clients that people use, unattended: each is asked questions, gets progress, cancels, and lives through a restart of a server. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { getSourceVariables } from '../../source-program.ts';
import { createReferenceServer, type Era } from '../fixtures/reference-server.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';
import type { ConnectedClient } from './connected-client.ts';
import { connectPython, hasPythonClient } from './python-client.ts';

type ConnectClient = (url: string) => Promise<ConnectedClient>;

const modules = join(import.meta.dirname, '../../../node_modules');
const clientInfo = { name: 'real', version: '1' };
const capabilities = { elicitation: {} };
const authorization = 'Bearer ann';
const acceptance = { action: 'accept' as const, content: { name: 'Ann' } };

function toConnected(client: Client): ConnectedClient {
  return {
    call: (name, args, options = {}) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
}

function createClient(mode: 'auto' | 'legacy'): Client {
  const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', async () => acceptance);
  return client;
}

const requestInit = { headers: { Authorization: authorization } };

const connectOfficial =
  (mode: 'auto' | 'legacy'): ConnectClient =>
  async (url) => {
    const client = createClient(mode);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return toConnected(client);
  };

const connectFirstLine: ConnectClient = async (url) => {
  const client = new FirstClient(clientInfo, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, async () => acceptance);
  // Its types predate exact optional members.
  const transport = new FirstTransport(new URL(url), { requestInit }) as Parameters<typeof client.connect>[0];
  await client.connect(transport);
  return {
    call: (name, args, options = {}) => client.callTool({ name, arguments: args }, CallToolResultSchema, options),
    close: () => client.close(),
  };
};

/** A program between a client on standard streams and the hub. */
const connectMcpRemote: ConnectClient = async (url) => {
  const program = join(modules, 'mcp-remote/dist/proxy.js');
  const args = [program, url, '--allow-http', '--transport', 'http-only', '--header', `Authorization:${authorization}`];
  const client = createClient('legacy');
  const env = getSourceVariables();
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  return toConnected(client);
};

const clients: readonly (readonly [name: string, connect: ConnectClient])[] = [
  ['the official client, newest revision', connectOfficial('auto')],
  ['the official client with sessions', connectOfficial('legacy')],
  ['the first line of the official client', connectFirstLine],
  ['mcp-remote', connectMcpRemote],
  ['the official Python client', (url) => connectPython(url, authorization, 'auto')],
  ['the official Python client with sessions', (url) => connectPython(url, authorization, 'legacy')],
];
const skipsPython = !hasPythonClient() && 'the interpreter of VP_TEST_PYTHON has no package mcp';

async function connect(t: Test, era: Era, connectClient: ConnectClient) {
  const server = createReferenceServer(era);
  const upstream = await startTestServer(t, server.handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  // A row takes a while, as on a slow disk: the result does not arrive in one piece with what preceded it.
  gateway.record = () => new Promise((resolve) => void setTimeout(resolve, 20));
  const client = await connectClient(gateway.server.url);
  t.teardown(() => client.close().catch(() => {}));
  return { server, upstream, client };
}

for (const [name, connectClient] of clients) {
  const skip = name.includes('Python') && skipsPython;
  for (const era of ['newest', 'older'] as const) {
    t.test(`${name}, server of the ${era} era: questions, progress and cancellation`, { skip }, async (t) => {
      const { server, client } = await connect(t, era, connectClient);
      t.match(await client.call('good__ask', {}), { content: [{ text: /^hello Ann/ }] });
      const progress: number[] = [];
      const onprogress = (update: { progress: number }): void => void progress.push(update.progress);
      await client.call('good__logs', {}, { onprogress });
      // This one drops, without a hub too, what arrives in one piece with the result.
      const isLossy = connectClient === connectMcpRemote;
      t.same(progress, isLossy ? [1, 2, 3].slice(0, Math.max(progress.length, 1)) : [1, 2, 3]);
      const controller = new AbortController();
      const { calls } = server;
      const slow = client.call('good__slow', { ms: 4000 }, { signal: controller.signal });
      slow.catch(() => {});
      await eventually(() => server.calls > calls);
      controller.abort();
      await t.rejects(slow);
      t.ok(await eventually(() => server.cancelled.includes('slow')));
    });

    t.test(`${name}, server of the ${era} era: a restart in the middle of a call`, { skip }, async (t) => {
      const { server, upstream, client } = await connect(t, era, connectClient);
      const slow = client.call('good__slow', { ms: 2000 });
      slow.catch(() => {});
      await eventually(() => server.calls === 1);
      await upstream.stop();
      await t.rejects(slow, /cannot be reached/);
      const restarted = createReferenceServer(era);
      await startTestServer(t, restarted.handle, Number(new URL(upstream.url).port));
      const result = await eventually(() => client.call('good__echo', { text: 'again' }));
      t.match(result, { content: [{ text: 'again' }] });
      t.notOk(restarted.cancelled.includes('slow'));
    });
  }
}

t.test('the inspector lists and calls tools from its command line', async (t) => {
  const upstream = await startTestServer(t, createReferenceServer('older').handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const run = async (...args: string[]): Promise<string> => {
    const program = join(modules, '.bin/mcp-inspector');
    const fixed = ['--cli', gateway.server.url, '--transport', 'http', '--header', `Authorization: ${authorization}`];
    const { stdout } = await promisify(execFile)(program, [...fixed, ...args], { timeout: 60_000 });
    return stdout;
  };
  t.match(await run('--method', 'tools/list'), 'good__echo');
  const call = ['--method', 'tools/call', '--tool-name', 'good__echo', '--tool-arg', 'text=inspected'];
  t.match(await run(...call), 'inspected');
});
