/** What thousands of clients cost that listen and say nothing: sessions of older revisions, each with its stream open. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { password, readLinkSecret, type TestBrowser } from '../server/test-browser.ts';
import type { BenchContext } from './bench-context.ts';
import { browserAt, demanded, hubWith, ownerAt } from './hub.ts';
import { median, series, timed } from './measure.ts';
import { type Service, serve } from './processes.ts';
import { type Row, under } from './row.ts';

/** Limits of sessions of a token and a person, and of streams of a hub. */
const perToken = 60;
const perPerson = 240;
const perHub = 3500;
const atOnce = 50;
const settleMs = 30_000;

const agent = new Agent({ keepAlive: true, maxSockets: 100_000 });
const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

type Reply = { readonly incoming: IncomingMessage; readonly text: string };

function send(url: string, method: 'POST' | 'GET', extra: Record<string, string>, message?: object): Promise<Reply> {
  const body = message && JSON.stringify(message);
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers: { ...headers, ...extra } });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      if (method === 'GET') {
        incoming.on('error', () => {});
        incoming.resume();
        resolve({ incoming, text: '' });
        return;
      }
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => resolve({ incoming, text }));
    });
    outgoing.end(body);
  });
}

/** Starts a session and opens its stream. */
async function listenIdly(url: string, token: string): Promise<void> {
  const authorization = { Authorization: `Bearer ${token}` };
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const { incoming, text } = await send(url, 'POST', authorization, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params,
  });
  const sessionId = incoming.headers['mcp-session-id'];
  if (typeof sessionId !== 'string') throw new Error(`${incoming.statusCode} ${text.slice(0, 300)}`);
  const session = { ...authorization, 'Mcp-Session-Id': sessionId, 'MCP-Protocol-Version': '2025-11-25' };
  await send(url, 'POST', session, { jsonrpc: '2.0', method: 'notifications/initialized' });
  const stream = await send(url, 'GET', session);
  if (stream.incoming.statusCode !== 200) throw new Error(`a stream was answered ${stream.incoming.statusCode}`);
}

async function addPerson(url: string, owner: TestBrowser, index: number): Promise<TestBrowser> {
  const invitation: { url: string } = await demanded(
    await owner.ask('POST', '/api/v1/invitations', { role: 'member' }),
  );
  const browser = browserAt(url);
  const person = { name: `P${index}`, email: `p${index}@example.com`, password };
  const secret = readLinkSecret(invitation.url);
  await demanded(await browser.signIn('/api/v1/invitations/accept', { secret, ...person }));
  return browser;
}

/** Tokens of as many people as these sessions need, in as many hubs. */
async function createTokens(plane: Service, sessions: number, upstreamUrl: string): Promise<string[]> {
  const { url } = plane.startInfo;
  const owner = await ownerAt(plane);
  const tokens: string[] = [];
  const hubs = Math.ceil(sessions / perHub);
  for (let hub = 0; hub < hubs; hub += 1) {
    const slug = `h${hub}`;
    await hubWith(owner, slug, [upstreamUrl]);
    const document = { limits: [], listeners: { streams_per_hub: 4000 } };
    await demanded(await owner.ask('PUT', `/api/v1/hubs/${slug}/policy`, { document, if_revision: 1 }));
  }
  for (let index = 0; tokens.length * perToken < sessions; index += 1) {
    const slug = `h${index % hubs}`;
    const person = await addPerson(url, owner, index);
    const { items }: { items: { name: string; person_id: string }[] } = await demanded(
      await owner.ask('GET', '/api/v1/people'),
    );
    const id = items.find(({ name }) => name === `P${index}`)?.person_id;
    await demanded(await owner.ask('PUT', `/api/v1/hubs/${slug}/members/${id}`, { role: 'member' }));
    for (let count = 0; count < perPerson / perToken; count += 1) {
      const input = { name: `t${count}`, expiry: '30 days' };
      const { token }: { token: string } = await demanded(
        await person.ask('POST', `/api/v1/hubs/${slug}/tokens`, input),
      );
      tokens.push(token);
    }
  }
  return tokens;
}

/** Memory before and after, and a call while they listen. */
export async function measureIdleSessions(context: BenchContext, upstreamUrl: string): Promise<Row[]> {
  const sessions = context.quick ? 500 : 5000;
  const flags = ['--allow-private-upstreams', '--hub-sessions', '6000'];
  const program = context.vp('serve', '--json', '--port', '0', '--data', context.fresh('hub'), ...flags);
  const plane = await serve(program, context.fresh('hub-log'));
  try {
    const tokens = await createTokens(plane, sessions, upstreamUrl);
    const url = `${plane.startInfo.url}/agent/mcp`;
    for (const token of tokens.slice(0, 4)) await listenIdly(url, token);
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const before = plane.memoryMb() ?? Number.NaN;
    for (let started = 4; started < sessions; started += atOnce) {
      const group = Array.from({ length: Math.min(atOnce, sessions - started) }, (_, index) =>
        listenIdly(url, tokens[(started + index) % tokens.length] ?? ''),
      );
      await Promise.all(group);
    }
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const added = (plane.memoryMb() ?? Number.NaN) - before;
    const health = series(() =>
      timed(() => fetch(`${plane.startInfo.url}/healthz`).then((response) => response.text())),
    );
    for (let count = 0; count < 200; count += 1) await health.take();
    const measured = `memory of ${sessions.toLocaleString('en')} idle sessions with open streams`;
    return [
      under({ measured, value: added, unit: 'MB', floor: { what: 'the process before', value: before } }, 150),
      { measured: '`/healthz` then, p50', value: median(health.samples), unit: 'ms' },
    ];
  } finally {
    agent.destroy();
    await plane.stop();
  }
}
