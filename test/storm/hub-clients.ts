/** A hub in a storm: its setup in a browser, the server behind it, official clients that call through it, and searches of its audit. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import type { HubAuditClient } from '../../src/client/hubs/audit.ts';
import { createApiKey, createBrowser, password, readLinkSecret, type TestBrowser } from '../server/test-browser.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { StormRecord } from './storm-record.ts';

const slug = 'storm';
const callTimeoutMs = 6000;
/** Before any fault: a busy machine must only be able to do it. */
const setupTimeoutMs = 120_000;
/** More calls than can be answered between an answer and the search after it. */
const searchedRows = 100;

export type CountingServer = { readonly url: string; close(): void };

/** The server behind the hub: its tool counts the calls. */
export async function startCountingServer(record: StormRecord, random: SeededRandom): Promise<CountingServer> {
  const inputSchema = { type: 'object' as const, properties: { nonce: { type: 'string' } } };
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'counter', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => ({ tools: [{ name: 'count', inputSchema }] }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      record.upstreamCalls.push(String(params.arguments?.nonce));
      await sleepFor(random.integer(0, 30));
      return { content: [{ type: 'text', text: String(params.arguments?.nonce) }] };
    });
    return server;
  });
  const server: ServerType = createAdaptorServer({ fetch: (request) => handler.fetch(request) });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return { url: `http://127.0.0.1:${address.port}`, close: () => void server.close() };
}

/** A browser over the network, at the control plane's own origin, which changes when it is started again. */
function openBrowser(getUrl: () => string): TestBrowser {
  return createBrowser({
    fetch(request) {
      const url = getUrl();
      const headers = new Headers(request.headers);
      headers.set('origin', url);
      const { pathname, search } = new URL(request.url);
      const body = request.body ? { body: request.body, duplex: 'half' } : {};
      const signal = AbortSignal.timeout(setupTimeoutMs);
      return fetch(new Request(`${url}${pathname}${search}`, { method: request.method, headers, signal, ...body }));
    },
  });
}

async function readJson<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.status} ${(await response.text()).slice(0, 300)}`);
  return response.json();
}

/** `token` is for calls through the hub, `apiKey` for the control plane's API. */
export type StormHub = { readonly token: string; readonly apiKey: string };

/** Signs the first owner in, and creates a hub with one connection. */
export async function setUpHub(getUrl: () => string, setupLinkFile: string, serverUrl: string): Promise<StormHub> {
  const owner = openBrowser(getUrl);
  const secret = readLinkSecret(readFileSync(setupLinkFile, 'utf8').trim());
  await readJson(await owner.signIn('/api/v1/setup', { secret, name: 'Ana', email: 'ana@example.com', password }));
  const ask = async <T>(method: string, path: string, body: object): Promise<T> =>
    readJson<T>(await owner.ask(method, path, body));
  await ask('POST', '/api/v1/hubs', { slug, name: slug });
  const connection = { name: 'counter', kind: 'http', url: `${serverUrl}/mcp` };
  await ask('POST', `/api/v1/hubs/${slug}/connections`, connection);
  await ask('PUT', `/api/v1/hubs/${slug}/policy`, { document: { limits: [] }, if_revision: 0 });
  const input = { name: 'storm', expiry: '30 days' };
  const { token } = await ask<{ token: string }>('POST', `/api/v1/hubs/${slug}/tokens`, input);
  return { token, apiKey: await createApiKey(owner, 'owner') };
}

export type HubClientOptions = {
  readonly record: StormRecord;
  readonly random: SeededRandom;
  readonly token: string;
  readonly audit: HubAuditClient;
  /** The address for calls, with a faulty network. */
  readonly url: string;
  readonly name: string;
  readonly ending: AbortSignal;
};

/** Counts the audit rows of a call among the newest. */
async function search({ record, audit }: HubClientOptions, nonce: string): Promise<void> {
  const calledAtMs = performance.now();
  const signal = AbortSignal.timeout(callTimeoutMs);
  const page = await audit.search(slug, { limit: searchedRows }, { signal }).catch(() => undefined);
  if (!page) return;
  const rows = page.items.filter((row) => row.arguments?.includes(`"${nonce}"`)).length;
  const interval = { calledAtMs, returnedAtMs: performance.now() };
  record.add(record.calls, nonce, { input: { kind: 'search' }, output: { rows }, ...interval });
}

/** Errors of the official clients' requests. */
const clientErrors = new WeakSet<Error>();

/**
 * The official client leaves some of its own requests without a handler, so that a connection that breaks at that moment would end the
 * process of the storm. Other rejections without a handler still do. Returns how to undo it.
 */
export function tolerateClientErrors(): () => void {
  const onRejection = (reason: unknown): void => {
    if (!(reason instanceof Error && clientErrors.has(reason))) throw reason;
  };
  process.on('unhandledRejection', onRejection);
  return () => process.off('unhandledRejection', onRejection);
}

const fetchAsClient: typeof fetch = (input, init) =>
  fetch(input, init).catch((error: Error) => {
    clientErrors.add(error);
    throw error;
  });

async function connect({ url, token, random }: HubClientOptions): Promise<Client> {
  const mode = random.chance(0.5) ? 'auto' : 'legacy';
  const client = new Client({ name: 'storm', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const endpoint = new URL(`${url}/agent/mcp`);
  const transport = new StreamableHTTPClientTransport(endpoint, { requestInit, fetch: fetchAsClient });
  await client.connect(transport, { timeout: callTimeoutMs });
  return client;
}

/** Calls the tool again and again, with a new client after a failure; some calls are searched in the audit at once. */
export async function callHub(options: HubClientOptions): Promise<void> {
  const { record, random, name, ending } = options;
  let client: Client | undefined;
  for (let number = 0; !ending.aborted; number += 1) {
    const nonce = `${name}-${number}`;
    try {
      client ??= await connect(options);
      record.counts.calls += 1;
      const calledAtMs = performance.now();
      const add = (isAnswered: boolean): void => {
        const returnedAtMs = isAnswered ? performance.now() : Number.POSITIVE_INFINITY;
        const output = isAnswered ? { rows: 1 } : undefined;
        record.add(record.calls, nonce, { input: { kind: 'call' }, output, calledAtMs, returnedAtMs });
      };
      const call = { name: 'counter__count', arguments: { nonce } };
      const result = await client.callTool(call, { timeout: callTimeoutMs }).catch((error) => {
        add(false);
        throw error;
      });
      add(true);
      if (!JSON.stringify(result).includes(nonce)) {
        // The hub could not reach the server: the caller has this answer, and it is audited as failed.
        if (result.isError !== true) record.addProblem(`${nonce} was answered by ${JSON.stringify(result)}`);
      } else record.counts['answered calls'] += 1;
      if (random.chance(0.1)) await search(options, nonce);
    } catch {
      await client?.close().catch(() => undefined);
      client = undefined;
      await sleepFor(random.integer(50, 300));
    }
    await sleepFor(random.integer(5, 120));
  }
  await client?.close().catch(() => undefined);
}

/** All rows of the hub, as lines of JSON. */
export function exportAudit(audit: HubAuditClient): Promise<string> {
  return audit.readExport(slug, 'jsonl');
}
