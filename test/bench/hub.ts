/**
 * Calls through a hub, with token, policy, pins and audit on, beside the same calls to the server behind it and through a pipe
 * that carries bytes; each in a process of its own.
 */
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createBrowser, password, readLinkSecret, type TestBrowser } from '../server/test-browser.ts';
import type { BenchContext } from './bench-context.ts';
import { measureMisbehaviour } from './hub-misbehaviour.ts';
import { type CallTo, closeConnections, many, rawCall, rawList } from './hub-raw-call.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { type Service, serve } from './processes.ts';
import { type Row, ratioAtLeast, under, withMaxRatio } from './row.ts';

const connections = 20;
const toolsOfEach = 50;
/** A hub runs for weeks: what is compiled in the first thousands of calls is not what is measured. */
const warmUpCalls = 20_000;
/** A browser over the network, at the control plane's own origin. */
export function browserAt(url: string): TestBrowser {
  return createBrowser({
    fetch(request) {
      const headers = new Headers(request.headers);
      headers.set('origin', url);
      const { pathname, search } = new URL(request.url);
      const body = request.body ? { body: request.body, duplex: 'half' } : {};
      return fetch(new Request(`${url}${pathname}${search}`, { method: request.method, headers, ...body }));
    },
  });
}

export async function demanded<T>(answer: Response): Promise<T> {
  if (!answer.ok) throw new Error(`${answer.status} ${(await answer.text()).slice(0, 300)}`);
  return answer.json();
}

export async function ownerAt({ startInfo }: Service): Promise<TestBrowser> {
  const browser = browserAt(startInfo.url);
  const secret = readLinkSecret(readFileSync(String(startInfo.setup_link_file), 'utf8').trim());
  await demanded(await browser.signIn('/api/v1/setup', { secret, name: 'Ana', email: 'ana@example.com', password }));
  return browser;
}

/** A hub with these connections; gives a token of it. */
export async function hubWith(owner: TestBrowser, slug: string, urls: readonly string[]): Promise<string> {
  await demanded(await owner.ask('POST', '/api/v1/hubs', { slug, name: slug }));
  for (const [index, url] of urls.entries()) {
    const input = { name: `c${index}`, kind: 'http', url };
    await demanded(await owner.ask('POST', `/api/v1/hubs/${slug}/connections`, input));
  }
  // Nobody calls as often as a bench, so the limits of the default policy are lifted; everything else of it holds.
  const document = { limits: [] };
  await demanded(await owner.ask('PUT', `/api/v1/hubs/${slug}/policy`, { document, if_revision: 0 }));
  const input = { name: 'bench', expiry: '30 days' };
  const { token }: { token: string } = await demanded(await owner.ask('POST', `/api/v1/hubs/${slug}/tokens`, input));
  return token;
}

export async function clientAt(url: string, token?: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode } });
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** The same call again and again; one that is answered by anything else ends the measurement. */
function echo(target: CallTo): () => Promise<void> {
  const call = rawCall(target);
  return async () => {
    const text = await call();
    if (!text.includes('"hello"')) throw new Error(text.slice(0, 300));
  };
}

/** Calls a second, `many` at a time. */
async function measureRate(call: () => Promise<unknown>, calls: number): Promise<number> {
  const work = async (): Promise<void> => {
    for (let turn = 0; turn < calls / many; turn += 1) await call();
  };
  const ms = await timed(() => Promise.all(Array.from({ length: many }, work)));
  return (calls * 1000) / ms;
}

/** Milliseconds, calls a second, memory. */
export async function hub(context: BenchContext): Promise<Row[]> {
  const started: Service[] = [];
  const upstream = async (...args: string[]): Promise<Service> => {
    const program = context.node('--import', './test/tsx-hook.mjs', 'test/bench/hub-upstream.ts', ...args);
    const service = await serve({ ...program, cwd: process.cwd() }, context.fresh('upstream-log'));
    started.push(service);
    return service;
  };
  try {
    const direct = await upstream();
    const pipe = await upstream('--pipe', direct.startInfo.url);
    const wide = await upstream('--tools', String(toolsOfEach));
    const large = await upstream('--tools', String(connections * toolsOfEach));
    const bad = await upstream('--bad');
    const program = context.vp(
      'serve',
      '--json',
      '--port',
      '0',
      '--data',
      context.fresh('hub'),
      '--allow-private-upstreams',
    );
    const plane = await serve(program, context.fresh('hub-log'));
    started.push(plane);
    const owner = await ownerAt(plane);
    const token = await hubWith(owner, 'bench', [direct.startInfo.url]);
    const wideToken = await hubWith(
      owner,
      'wide',
      Array.from({ length: connections }, () => wide.startInfo.url),
    );
    const misbehaviourToken = await hubWith(owner, 'beside', [direct.startInfo.url, bad.startInfo.url]);
    const url = `${plane.startInfo.url}/agent/mcp`;
    const calls = { direct: direct.startInfo.url, pipe: pipe.startInfo.url };
    return [
      ...(await latency(context, calls, url, token)),
      ...(await throughput(context, calls, url, token)),
      ...(await measureMisbehaviour(context, { hub: { url, token: misbehaviourToken }, badUrl: bad.startInfo.url })),
      ...(await listing(context, large.startInfo.url, url, wideToken)),
      await memory(context, plane, url, token),
    ];
  } finally {
    await Promise.all([...started.map((service) => service.stop()), closeConnections()]);
  }
}

type Floors = { readonly direct: string; readonly pipe: string };

async function latency(context: BenchContext, floors: Floors, url: string, token: string): Promise<Row[]> {
  const clients = [await clientAt(floors.direct), await clientAt(floors.pipe), await clientAt(url, token)] as const;
  const [straight, piped, through] = clients.map((client, index) => {
    const name = index === 2 ? 'c0__echo' : 'echo';
    return series(() => timed(() => client.callTool({ name, arguments: { text: 'hello' } })));
  });
  if (!straight || !piped || !through) throw new Error('nothing to measure');
  for (const client of clients) await client.listTools();
  await inTurns(context.quick ? 200 : 2000, [straight, piped, through], 300);
  await Promise.all(clients.map((client) => client.close()));
  const floor = { what: 'the server directly', value: median(straight.samples) };
  const hop: Row = { measured: 'tools/call through a pipe of bytes', value: median(piped.samples), unit: 'ms', floor };
  const call: Row = { measured: 'tools/call through a hub', value: median(through.samples), unit: 'ms', floor };
  return [hop, withMaxRatio(call, 2.5)];
}

async function throughput(context: BenchContext, floors: Floors, url: string, token: string): Promise<Row[]> {
  const direct = echo({ url: floors.direct, name: 'echo' });
  const through = echo({ url, name: 'c0__echo', token });
  const calls = context.quick ? 320 : 1600;
  const rates = { direct: series(() => measureRate(direct, calls)), hub: series(() => measureRate(through, calls)) };
  const alone = { direct: series(() => timed(direct)), hub: series(() => timed(through)) };
  await inTurns(context.quick ? 1 : 9, [rates.direct, rates.hub], context.quick ? 1 : warmUpCalls / calls);
  await inTurns(context.quick ? 200 : 2000, [alone.direct, alone.hub], 100);
  const sequential: Row = {
    measured: 'calls through a hub, one at a time',
    value: 1000 / median(alone.hub.samples),
    unit: 'calls/s',
    floor: { what: 'the server directly', value: 1000 / median(alone.direct.samples) },
  };
  const atOnce: Row = {
    measured: `calls through a hub, ${many} at a time`,
    value: median(rates.hub.samples),
    unit: 'calls/s',
    floor: { what: 'the server directly', value: median(rates.direct.samples) },
  };
  return [ratioAtLeast(sequential, 0.4), ratioAtLeast(atOnce, 0.5)];
}

/**
 * A list of many tools, of many servers through a hub and of one server directly. The official client checks every tool, which
 * takes it longer than the list takes to come, and asks for a second page, of the hub's own tools.
 */
async function listing(context: BenchContext, direct: string, url: string, token: string): Promise<Row[]> {
  const clients = [await clientAt(direct), await clientAt(url, token)];
  const official = clients.map((client) =>
    series(() => timed(() => client.listTools(undefined, { cacheMode: 'bypass' }))),
  );
  const plain = [rawList({ url: direct }), rawList({ url, token })].map((list) => series(() => timed(list)));
  for (const client of clients) {
    const { tools } = await client.listTools();
    if (tools.length < connections * toolsOfEach) throw new Error(`only ${tools.length} tools are listed`);
  }
  await inTurns(context.quick ? 20 : 100, [...plain, ...official], 10);
  await Promise.all(clients.map((client) => client.close()));
  const [plainFloor = 0, plainMs = 0, officialFloor = 0, officialMs = 0] = [...plain, ...official].map(({ samples }) =>
    median(samples),
  );
  const measured = `${connections * toolsOfEach} tools of ${connections} connections listed`;
  const what = 'as many of one server directly';
  return [
    under({ measured, value: plainMs, unit: 'ms', floor: { what, value: plainFloor } }, 10),
    {
      measured: `${measured} by the official client`,
      value: officialMs,
      unit: 'ms',
      floor: { what, value: officialFloor },
    },
  ];
}

async function memory(context: BenchContext, plane: Service, url: string, token: string): Promise<Row> {
  const clients: Client[] = [];
  const before = plane.memoryMb() ?? 0;
  for (let index = 0; index < (context.quick ? 50 : 500); index += 1) {
    clients.push(await clientAt(url, token, index % 2 === 0 ? 'auto' : 'legacy'));
  }
  const value = plane.memoryMb() ?? 0;
  await Promise.all(clients.map((client) => client.close()));
  const measured = `memory of vp serve with ${clients.length} idle clients`;
  return { measured, value, unit: 'MB', floor: { what: 'before they came', value: before } };
}
