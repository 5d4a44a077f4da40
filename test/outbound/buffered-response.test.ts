import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { createBufferedOutboundFetch } from '../../src/outbound/outbound-fetch.ts';
import { eventually } from '../eventually.ts';

async function startTarget(t: Test, listener: RequestListener) {
  const counts = { connections: 0, closed: 0 };
  const server = createServer(listener);
  server.on('connection', (socket) => {
    counts.connections += 1;
    socket.once('close', () => {
      counts.closed += 1;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch = await createBufferedOutboundFetch({ url, extraRoots: [], variables: {} });
  const call = (path: string, signal = new AbortController().signal) =>
    fetch(url + path, { method: 'POST', headers: {}, body: '{}', signal, redirect: 'manual' });
  return { counts, call };
}

t.test('responses that nobody reads leave their connection to later calls', async (t) => {
  const { counts, call } = await startTarget(t, (request, response) =>
    response.writeHead(request.url === '/refused' ? 500 : 200).end('x'.repeat(200_000)),
  );
  for (const path of ['/refused', '/', '/refused', '/', '/', '/']) t.equal((await call(path)).ok, path === '/');
  // undici uses a connection again in the next turn of the event loop only.
  t.ok(counts.connections <= 2, `${counts.connections} connections`);
});

t.test('interim responses are skipped', async (t) => {
  const { call } = await startTarget(t, (_request, response) => {
    response.writeProcessing();
    response.end('whole');
  });
  const response = await call('/');
  t.same([response.status, await response.text()], [200, 'whole']);
});

t.test('a call that is aborted rejects with the reason, and its connection is closed', async (t) => {
  const { promise: arrived, resolve: onArrived } = Promise.withResolvers<void>();
  const { counts, call } = await startTarget(t, (_request, response) => {
    response.writeHead(200).write('half');
    onArrived();
  });
  const controller = new AbortController();
  const response = call('/', controller.signal);
  await arrived;
  const reason = new Error('enough');
  controller.abort(reason);
  await t.rejects(response, reason);
  await eventually(() => counts.closed === 1, { description: 'the connection is closed' });
  await t.rejects(call('/', controller.signal), reason, 'not sent at all');
  t.equal(counts.connections, 1);
});

t.test('a response that breaks off is an error', async (t) => {
  const { call } = await startTarget(t, (_request, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('half');
    setImmediate(() => response.destroy());
  });
  await t.rejects(call('/'), { code: 'UND_ERR_SOCKET' });
});
