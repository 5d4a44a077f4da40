/**
 * Calls through a hub, with token, policy, pins and audit on, beside the same calls to the server behind it and through a pipe
 * that carries bytes; each in a process of its own, all asked by the official client.
 */
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Browser, browser, password, secretOf } from '../server/browser.ts';
import { beside } from './hub-beside.ts';
import { type CallTo, closeConnections, many, rawCall } from './hub-raw-call.ts';
import { inTurns, median, series, timed } from './measure.ts';
import type { Place } from './place.ts';
import { type Service, serve } from './processes.ts';
import { type Row, ratioAtLeast, ratioAtMost, under } from './row.ts';

const connections = 20;
const toolsOfEach = 50;
/** A hub runs for weeks: what is compiled in the first thousands of calls is not what is measured. */
const warmUpCalls = 20_000;
/** A browser over the network, at the control plane's own origin. */
function browserAt(url: string): Browser {
  return browser({
    fetch(request) {
      const headers = new Headers(request.headers);
      headers.set('origin', url);
      const { pathname, search } = new URL(request.url);
      const body = request.body ? { body: request.body, duplex: 'half' } : {};
      return fetch(new Request(`${url}${pathname}${search}`, { method: request.method, headers, ...body }));
    },
  });
}

async function demanded<T>(answer: Response): Promise<T> {
  if (!answer.ok) throw new Error(`${answer.status} ${(await answer.text()).slice(0, 300)}`);
  return answer.json();
}

async function ownerAt({ told }: Service): Promise<Browser> {
  const one = browserAt(told.url);
  const secret = secretOf(readFileSync(String(told.setup_link_file), 'utf8').trim());
  await demanded(await one.enter('/api/v1/setup', { secret, name: 'Ana', email: 'ana@example.com', password }));
  return one;
}

/** A hub with these connections; gives a token of it. */
async function hubWith(owner: Browser, slug: string, urls: readonly string[]): Promise<string> {
  await demanded(await owner.ask('POST', '/api/v1/hubs', { slug, name: slug }));
  for (const [at, url] of urls.entries()) {
    const input = { name: `c${at}`, kind: 'http', url };
    await demanded(await owner.ask('POST', `/api/v1/hubs/${slug}/connections`, input));
  }
  // Nobody calls as often as a bench, so the limits of the default policy are lifted; everything else of it holds.
  const document = { limits: [] };
  await demanded(await owner.ask('PUT', `/api/v1/hubs/${slug}/policy`, { document }));
  const input = { name: 'bench', expiry: '30 days' };
  const { token }: { token: string } = await demanded(await owner.ask('POST', `/api/v1/hubs/${slug}/tokens`, input));
  return token;
}

async function clientAt(url: string, token?: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode } });
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** The same call again and again; one that is answered by anything else ends the measurement. */
function echo(to: CallTo): () => Promise<void> {
  const call = rawCall(to);
  return async () => {
    const text = await call();
    if (!text.includes('"hello"')) throw new Error(text.slice(0, 300));
  };
}

/** Calls a second, `many` at a time. */
async function rateOf(call: () => Promise<unknown>, calls: number): Promise<number> {
  const work = async (): Promise<void> => {
    for (let turn = 0; turn < calls / many; turn += 1) await call();
  };
  const ms = await timed(() => Promise.all(Array.from({ length: many }, work)));
  return (calls * 1000) / ms;
}

/** Milliseconds, calls a second, memory. */
export async function hub(place: Place): Promise<Row[]> {
  const started: Service[] = [];
  const upstream = async (...words: string[]): Promise<Service> => {
    const program = place.node('--import', './test/tsx-hook.mjs', 'test/bench/hub-upstream.ts', ...words);
    const service = await serve({ ...program, cwd: process.cwd() }, place.fresh('upstream-log'));
    started.push(service);
    return service;
  };
  try {
    const direct = await upstream();
    const pipe = await upstream('--pipe', direct.told.url);
    const wide = await upstream('--tools', String(toolsOfEach));
    const bad = await upstream('--bad');
    const program = place.vp(
      'serve',
      '--json',
      '--port',
      '0',
      '--data',
      place.fresh('hub'),
      '--allow-private-upstreams',
    );
    const plane = await serve(program, place.fresh('hub-log'));
    started.push(plane);
    const owner = await ownerAt(plane);
    const token = await hubWith(owner, 'bench', [direct.told.url]);
    const wideToken = await hubWith(
      owner,
      'wide',
      Array.from({ length: connections }, () => wide.told.url),
    );
    const besideToken = await hubWith(owner, 'beside', [direct.told.url, bad.told.url]);
    const url = `${plane.told.url}/agent/mcp`;
    const calls = { direct: direct.told.url, pipe: pipe.told.url };
    return [
      ...(await latency(place, calls, url, token)),
      ...(await throughput(place, calls, url, token)),
      ...(await beside(place, { hub: { url, token: besideToken }, badUrl: bad.told.url })),
      await listing(place, url, wideToken),
      await memory(place, plane, url, token),
    ];
  } finally {
    await Promise.all([...started.map((service) => service.stop()), closeConnections()]);
  }
}

type Floors = { readonly direct: string; readonly pipe: string };

async function latency(place: Place, floors: Floors, url: string, token: string): Promise<Row[]> {
  const clients = [await clientAt(floors.direct), await clientAt(floors.pipe), await clientAt(url, token)] as const;
  const [straight, piped, through] = clients.map((client, at) => {
    const name = at === 2 ? 'c0__echo' : 'echo';
    return series(() => timed(() => client.callTool({ name, arguments: { text: 'hello' } })));
  });
  if (!straight || !piped || !through) throw new Error('nothing to measure');
  for (const client of clients) await client.listTools();
  await inTurns(place.quick ? 200 : 2000, [straight, piped, through], 300);
  await Promise.all(clients.map((client) => client.close()));
  const floor = { what: 'the server directly', value: median(straight.samples) };
  const hop: Row = { measured: 'tools/call through a pipe of bytes', value: median(piped.samples), unit: 'ms', floor };
  const call: Row = { measured: 'tools/call through a hub', value: median(through.samples), unit: 'ms', floor };
  return [hop, ratioAtMost(call, 2.5)];
}

async function throughput(place: Place, floors: Floors, url: string, token: string): Promise<Row[]> {
  const direct = echo({ url: floors.direct, name: 'echo' });
  const through = echo({ url, name: 'c0__echo', token });
  const calls = place.quick ? 320 : 1600;
  const rates = { direct: series(() => rateOf(direct, calls)), hub: series(() => rateOf(through, calls)) };
  const alone = { direct: series(() => timed(direct)), hub: series(() => timed(through)) };
  await inTurns(place.quick ? 1 : 9, [rates.direct, rates.hub], place.quick ? 1 : warmUpCalls / calls);
  await inTurns(place.quick ? 200 : 2000, [alone.direct, alone.hub], 100);
  const oneAtATime: Row = {
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
  return [ratioAtLeast(oneAtATime, 0.4), ratioAtLeast(atOnce, 0.5)];
}

async function listing(place: Place, url: string, token: string): Promise<Row> {
  const client = await clientAt(url, token);
  const list = series(() => timed(() => client.listTools(undefined, { cacheMode: 'bypass' })));
  const { tools } = await client.listTools();
  if (tools.length < connections * toolsOfEach) throw new Error(`only ${tools.length} tools are listed`);
  await inTurns(place.quick ? 20 : 100, [list], 5);
  await client.close();
  const measured = `${connections * toolsOfEach} tools of ${connections} connections listed`;
  return under({ measured, value: median(list.samples), unit: 'ms' }, 20);
}

async function memory(place: Place, plane: Service, url: string, token: string): Promise<Row> {
  const clients: Client[] = [];
  const before = plane.memoryMb() ?? 0;
  for (let at = 0; at < (place.quick ? 50 : 500); at += 1) {
    clients.push(await clientAt(url, token, at % 2 === 0 ? 'auto' : 'legacy'));
  }
  const value = plane.memoryMb() ?? 0;
  await Promise.all(clients.map((client) => client.close()));
  const measured = `memory of vp serve with ${clients.length} idle clients`;
  return { measured, value, unit: 'MB', floor: { what: 'before they came', value: before } };
}
