/** Clients that call and do not read: what they leave in memory is bounded, and others are served. */
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { listen } from '../../../src/http/listener/listen.ts';
import { createServerHandlers } from '../../../src/server/app.ts';
import { eventually } from '../../eventually.ts';
import { createMemoryLog } from '../../http/memory-log.ts';
import { createToken } from '../../hub/fixtures/hub-people.ts';
import { jsonHeaders } from '../../hub/fixtures/mcp-requests.ts';
import { createRawServer, createTextResult, createTool } from '../../hub/fixtures/raw-server.ts';
import { startTestHub } from '../../hub/fixtures/test-hub.ts';
import { startTestServer as startUpstream } from '../../hub/fixtures/test-server.ts';
import { origin } from '../test-server.ts';

const resultBytes = 9_000_000;
/** Reached by a few results, whatever their connections buffer. */
const unreadLimits = { maxPerCaller: 8_000_000, maxBeforeLoss: 128_000_000, maxTotal: 256_000_000 };

async function startLargeHub(t: Test) {
  const { ana, api, gateway } = await startTestHub(t, { unreadLimits });
  const upstream = await startUpstream(
    t,
    createRawServer({
      tools: () => ['large', 'small'].map((name) => createTool(name)),
      call: ({ name }) => createTextResult(name === 'large' ? 'x'.repeat(resultBytes) : 'done'),
    }),
  );
  await ana.ask('POST', '/api/v1/hubs/acme/connections', { name: 'raw', kind: 'http', url: upstream.url });
  const document = { limits: [] };
  await ana.ask('PUT', '/api/v1/hubs/acme/policy', { document, if_revision: 0 });
  const tokens = [(await createToken(ana, 'acme')).token, (await createToken(ana, 'acme')).token];
  const { log } = createMemoryLog();
  const { control, identity, hub } = api;
  const unopened = Object.create(null);
  const { handler, raw } = createServerHandlers({
    ...{ control, identity, hub, hubGateway: gateway, memory: unopened, registry: unopened },
    ...{ notifications: unopened, log },
    ...{ clock: systemClock, random: systemRandom, version: '0.4.0', publicUrl: origin },
  });
  const host = { host: '127.0.0.1', port: 0 };
  const listener = await listen({ ...host, handler, raw, clock: systemClock, random: systemRandom, log });
  t.teardown(() => listener.close(0));
  return { url: `${listener.url}/agent/mcp`, tokens };
}

function createCall(name: string, padding = ''): string {
  const params = { name: `raw__${name}`, arguments: { padding } };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

/** Sends a call on a connection of its own, of which nothing is read. */
function callUnread(t: Test, target: string, token: string, padding: string): Socket {
  const { port, pathname } = new URL(target);
  const body = createCall('large', padding);
  const headers = { ...jsonHeaders, Host: 'localhost', Authorization: `Bearer ${token}` };
  const lines = Object.entries({ ...headers, 'Content-Length': String(body.length) });
  const socket = connect(Number(port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.pause();
  socket.on('error', () => {});
  socket.write(
    `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
  return socket;
}

for (const [kind, padding] of [
  ['by the handler', ''],
  ['by the routes', 'x'.repeat(70_000)],
] as const)
  t.test(`a caller that does not read is refused until it has read or left: ${kind}`, async (t) => {
    const { url, tokens } = await startLargeHub(t);
    const [token = '', otherToken = ''] = tokens;
    const call = async (bearer: string, name = 'small') => {
      const headers = { ...jsonHeaders, Authorization: `Bearer ${bearer}` };
      const response = await fetch(url, { method: 'POST', headers, body: createCall(name) });
      return { status: response.status, text: await response.text() };
    };
    t.equal((await call(token)).status, 200);
    const unread: Socket[] = [];
    const refusal = await eventually(
      async () => {
        if (unread.length < 16) unread.push(callUnread(t, url, token, padding));
        return call(token);
      },
      { until: ({ status }) => status === 429, timeoutMs: 60_000 },
    );
    t.match(refusal.text, 'too_many_attempts');
    t.match(refusal.text, 'may wait for its clients to read');
    t.equal((await call(otherToken)).status, 200, 'another token is served');
    for (const socket of unread) socket.destroy();
    t.ok(await eventually(async () => (await call(token)).status === 200), 'what was not read is gone');
    t.ok((await call(token, 'large')).text.length > resultBytes);
  });
