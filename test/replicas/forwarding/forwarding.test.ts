import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import type { NodeHandler } from '../../../src/http/listener/request-listener.ts';
import { createForwarder } from '../../../src/replicas/forwarding/forwarder.ts';
import { formatHop, hopHeaderName, maxHops, parseHop } from '../../../src/replicas/forwarding/hop-header.ts';
import type { Peer } from '../../../src/replicas/routing/peers.ts';
import {
  defaultRoutingLimits,
  RequestRouter,
  type RoutingLimits,
} from '../../../src/replicas/routing/request-router.ts';
import { eventually } from '../../eventually.ts';
import { isTestKeyed, testHopKey } from '../replica-rig.ts';

async function listenOn(t: Test, listener: RequestListener): Promise<Server & { readonly url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

type Standby = {
  readonly url: string;
  setActive(url: string | undefined): void;
  /** This replica becomes the active one. */
  serve(handler: NodeHandler): void;
  /** Another replica has taken over from the active one. */
  lose(): void;
  countLookups(): number;
  countSuspicions(): number;
  router: RequestRouter;
};

/** The standby `a`, whose active replica is `b`. */
async function startStandby(
  t: Test,
  active: string | undefined,
  limits: Partial<RoutingLimits> = {},
): Promise<Standby> {
  let controller = new AbortController();
  const toPeer = (address: string | undefined): Peer | undefined =>
    address === undefined ? undefined : { id: 'b', epoch: 1, address, lost: controller.signal };
  let peer = toPeer(active);
  let lookups = 0;
  const findPeer = (): Peer | undefined => {
    lookups += 1;
    return peer;
  };
  let suspicions = 0;
  let handler: NodeHandler | undefined;
  const findHandler = (): NodeHandler | undefined => handler;
  let url = '';
  const forwarder = createForwarder();
  const router = new RequestRouter({
    ...{ ownId: 'a', hopKey: testHopKey, forwarder, clock: systemClock },
    ...{ findHandler, findPeer, getDatabaseMs: () => Date.now(), isKeyed: isTestKeyed, getOwnAddress: () => url },
    onSuspect: () => {
      suspicions += 1;
    },
    limits: { ...defaultRoutingLimits, ...limits },
  });
  ({ url } = await listenOn(t, (incoming, outgoing) => router.handle(incoming, outgoing)));
  t.teardown(() => forwarder.close());
  const setActive = (address: string | undefined): void => {
    controller = new AbortController();
    peer = toPeer(address);
    router.onChange();
  };
  return {
    url,
    router,
    setActive,
    countLookups: () => lookups,
    countSuspicions: () => suspicions,
    serve(next) {
      handler = next;
      peer = undefined;
      router.onChange();
    },
    lose() {
      controller.abort();
      peer = undefined;
      router.onChange();
    },
  };
}

t.test('head and body pass in both directions as they are', async (t) => {
  const active = await listenOn(t, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method, url, headers } = incoming;
      outgoing.writeHead(201, { 'X-Answer': 'yes', 'Set-Cookie': ['a=1', 'b=2'], 'Content-Type': 'text/x' });
      outgoing.end(JSON.stringify({ method, url, headers, bytes: Buffer.concat(chunks).length }));
    });
  });
  const { url } = await startStandby(t, active.url);
  const response = await fetch(`${url}/a/b?c=%20d`, {
    method: 'PUT',
    headers: { 'X-Own': '1', [hopHeaderName]: 'forged' },
    body: new Uint8Array(3_000_000),
  });
  t.equal(response.status, 201);
  t.same(response.headers.getSetCookie(), ['a=1', 'b=2']);
  t.equal(response.headers.get('x-answer'), 'yes');
  const received = (await response.json()) as { method: string; url: string; headers: Record<string, string> };
  t.match(received, { method: 'PUT', url: '/a/b?c=%20d', bytes: 3_000_000, headers: { host: new URL(url).host } });
  const hop = parseHop(testHopKey, received.headers[hopHeaderName], received, {
    ...{ to: 'b', nowMs: Date.now(), maxAgeMs: 60_000 },
  });
  t.match(hop, { from: 'a', to: 'b', hops: 1, remoteAddress: '127.0.0.1', localPort: Number(new URL(url).port) });
});

t.test('an event stream arrives as it is written, and its reader ends it', async (t) => {
  let isClosed = false;
  const active = await listenOn(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': 'text/event-stream' });
    outgoing.write('data: 1\n\n');
    outgoing.once('close', () => {
      isClosed = true;
    });
  });
  const { url } = await startStandby(t, active.url);
  const reader = new AbortController();
  const response = await fetch(`${url}/events`, { signal: reader.signal });
  const { value } = (await response.body?.getReader().read()) ?? {};
  t.equal(Buffer.from(value ?? []).toString(), 'data: 1\n\n');
  t.notOk(isClosed);
  reader.abort();
  await eventually(() => isClosed);
});

t.test('the headers of a response arrive before its body', async (t) => {
  const active = await listenOn(t, (_incoming, outgoing) => outgoing.writeHead(200).flushHeaders());
  const { url } = await startStandby(t, active.url);
  const response = await fetch(url);
  t.equal(response.status, 200);
  await response.body?.cancel();
});

t.test('a response that breaks off is broken off for its reader', async (t) => {
  const active = await listenOn(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Length': 1000 });
    outgoing.write('half');
    setTimeout(() => outgoing.destroy(), 20);
  });
  const { url } = await startStandby(t, active.url);
  await t.rejects((await fetch(url)).text());
});

t.test('an early answer to a large body arrives', async (t) => {
  const active = await listenOn(t, (_incoming, outgoing) => {
    outgoing.writeHead(413, { Connection: 'close' }).end('too large');
  });
  const { url } = await startStandby(t, active.url);
  const response = await fetch(url, { method: 'POST', body: new Uint8Array(100_000) });
  t.equal(response.status, 413);
  t.equal(await response.text(), 'too large');
});

t.test('requests wait while no replica is active, and are then sent', async (t) => {
  const active = await listenOn(t, (incoming, outgoing) => void incoming.pipe(outgoing));
  const { url, setActive, router } = await startStandby(t, undefined);
  const responses = ['x', 'y', 'z'].map((body) => fetch(url, { method: 'POST', body }));
  await eventually(() => router.waitingCount === 3);
  setActive(active.url);
  t.same(await Promise.all(responses.map(async (response) => (await response).text())), ['x', 'y', 'z']);
});

t.test('requests that wait are bounded in time and number', async (t) => {
  const { url, router } = await startStandby(t, undefined, { maxWaitMs: 300, maxWaiting: 1 });
  const waiting = fetch(url, { method: 'POST', body: 'x' });
  await eventually(() => router.waitingCount === 1);
  const refused = await fetch(url);
  t.equal(refused.status, 503);
  t.match(await refused.json(), { code: 'REPLICA_NONE_ACTIVE' });
  const late = await waiting;
  t.equal(late.status, 503);
  t.equal(late.headers.get('retry-after'), '2');
});

t.test('a replica that does not listen yet has got nothing: the request is sent when it does', async (t) => {
  const active = await listenOn(t, (incoming, outgoing) => void incoming.pipe(outgoing));
  const closed = await listenOn(t, () => undefined);
  closed.close();
  const { url, setActive, countLookups } = await startStandby(t, closed.url);
  const response = fetch(url, { method: 'POST', body: 'once' });
  await eventually(() => countLookups() > 1);
  setActive(active.url);
  t.equal(await (await response).text(), 'once');
});

t.test('what a lost replica may have executed is not sent again, unless it may be repeated', async (t) => {
  let received = 0;
  const lost = await listenOn(t, async (incoming) => {
    await text(incoming);
    received += 1;
  });
  const bodies: string[] = [];
  const next = await listenOn(t, async (incoming, outgoing) => {
    bodies.push(await text(incoming));
    outgoing.end(`${incoming.method} again`);
  });
  const { url, lose, setActive } = await startStandby(t, lost.url);
  const headers = { 'idempotency-key': 'k1' };
  const sent = [
    fetch(url, { method: 'POST', body: 'x' }),
    fetch(url, { method: 'DELETE' }),
    fetch(url, { method: 'POST', body: 'not keyed here', headers }),
    fetch(`${url}/keyed`, { method: 'POST', body: new Uint8Array(100_000), headers }),
    fetch(url),
    fetch(`${url}/keyed`, { method: 'POST', body: 'keyed', headers }),
  ];
  await eventually(() => received === sent.length);
  lose();
  setActive(next.url);
  const responses = await Promise.all(sent);
  for (const response of responses.slice(0, 4)) {
    t.equal(response.status, 502);
    t.equal(response.headers.get('retry-after'), '2');
    t.match(await response.json(), { code: 'REPLICA_LOST' });
  }
  const repeated = await Promise.all(responses.slice(4).map((response) => response.text()));
  t.same(repeated, ['GET again', 'POST again']);
  t.same(bodies.sort(), ['', 'keyed']);
});

t.test('a request that is lost everywhere is not sent again and again', async (t) => {
  let received = 0;
  const active = await listenOn(t, async (incoming, outgoing) => {
    await text(incoming);
    if (incoming.url === '/healthz') return void outgoing.end();
    received += 1;
    incoming.socket.destroy();
  });
  const { url } = await startStandby(t, active.url);
  const read = await fetch(url);
  t.equal(read.status, 503);
  t.match(await read.json(), { code: 'REPLICA_NONE_ACTIVE' }, 'clients go on with reads, such as event streams');
  t.equal(received, 3);
  const keyed = await fetch(`${url}/keyed`, { method: 'POST', body: 'x', headers: { 'idempotency-key': 'k' } });
  t.match(await keyed.json(), { code: 'REPLICA_LOST' });
  t.equal(received, 6);
});

t.test('after a loss, requests wait until the active replica answers a probe or another one is active', async (t) => {
  const received: string[] = [];
  const dying = await listenOn(t, async (incoming) => {
    await text(incoming);
    received.push(`${incoming.method} ${incoming.url}`);
    incoming.socket.destroy();
  });
  const next = await listenOn(t, (_incoming, outgoing) => void outgoing.end('next'));
  const { url, lose, setActive, router, countSuspicions } = await startStandby(t, dying.url, { probeMs: 5 });
  const lost = fetch(url, { method: 'POST', body: 'lost' });
  await eventually(() => received.filter((line) => line === 'GET /healthz').length > 2);
  t.equal(countSuspicions(), 1);
  const later = fetch(url, { method: 'POST', body: 'later' });
  await eventually(() => router.waitingCount === 2);
  t.same(
    received.filter((line) => line !== 'GET /healthz'),
    ['POST /'],
    'the second one was not sent to it',
  );
  lose();
  setActive(next.url);
  t.match(await (await lost).json(), { code: 'REPLICA_LOST' }, 'only now, so that its caller can ask the next one');
  t.equal(await (await later).text(), 'next');
});

t.test('a replica that lost one connection and lives gets requests again', async (t) => {
  let received = 0;
  const active = await listenOn(t, async (incoming, outgoing) => {
    await text(incoming);
    if (incoming.url === '/healthz') return void outgoing.writeHead(421).end();
    received += 1;
    if (received === 1) incoming.socket.destroy();
    else outgoing.end('lives');
  });
  const { url } = await startStandby(t, active.url);
  t.match(await (await fetch(url, { method: 'POST', body: 'x' })).json(), { code: 'REPLICA_LOST' });
  t.equal(await (await fetch(url, { method: 'POST', body: 'x' })).text(), 'lives');
});

t.test('a request whose body was read is handled here when this replica becomes the active one', async (t) => {
  let received = 0;
  const lost = await listenOn(t, async (incoming) => {
    await text(incoming);
    received += 1;
  });
  const { url, lose, serve } = await startStandby(t, lost.url);
  const headers = { 'idempotency-key': 'k1' };
  const sent = fetch(`${url}/keyed`, { method: 'POST', body: 'here', headers });
  await eventually(() => received === 1);
  lose();
  serve((incoming, outgoing) => void incoming.pipe(outgoing));
  t.equal(await (await sent).text(), 'here');
});

t.test('a request that comes back is refused', async (t) => {
  const standby = await startStandby(t, undefined, { maxWaitMs: 200 });
  const address = standby.url;
  // Its own address in place of that of another one.
  standby.setActive(address);
  const hop = { from: 'x', to: 'a', sentMs: Date.now(), hops: maxHops };
  const target = { method: 'GET', url: '/' };
  const header = formatHop(testHopKey, hop, target);
  const response = await fetch(`${address}/`, { headers: { [hopHeaderName]: header } });
  t.equal(response.status, 508);
  t.match(await response.json(), { code: 'REPLICA_LOOP' });
});

t.test('a request that passed replicas which knew earlier active ones waits for the next view', async (t) => {
  const standby = await startStandby(t, 'http://127.0.0.1:9');
  const hop = { from: 'x', to: 'a', sentMs: Date.now(), hops: maxHops };
  const header = formatHop(testHopKey, hop, { method: 'GET', url: '/' });
  const sent = fetch(`${standby.url}/`, { headers: { [hopHeaderName]: header } });
  await eventually(() => standby.router.waitingCount === 1);
  standby.serve((_incoming, outgoing) => void outgoing.end('here'));
  t.equal(await (await sent).text(), 'here');
});

t.test('a request that a replica was to execute long ago is refused by it', async (t) => {
  const { url } = await startStandby(t, undefined);
  const hop = { from: 'x', to: 'a', sentMs: Date.now() - 60_000, hops: 1 };
  const header = formatHop(testHopKey, hop, { method: 'GET', url: '/' });
  const response = await fetch(`${url}/`, { headers: { [hopHeaderName]: header } });
  t.match(await response.json(), { code: 'REPLICA_NONE_ACTIVE' });
});
