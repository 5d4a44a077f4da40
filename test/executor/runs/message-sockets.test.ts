/** WebSockets, from a real server to the verdict: what was refused, ended early or was cut never passes. */

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../../src/environment/clock.ts';
import { createRunner } from '../../../src/executor/runs/runner.ts';
import { createTargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import { eventually } from '../../eventually.ts';
import { createRootCertificate } from '../../targets/certificates.ts';
import { getPort } from '../../targets/raw-target.ts';
import { findFailureCode } from '../failure-code.ts';
import { createRunRequest, createTestProject, scenarioText } from '../test-project.ts';
import { createTestRunner } from '../test-runner.ts';

type SocketServer = {
  readonly onConnection?: (socket: WebSocket, request: IncomingMessage) => void;
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex) => void;
};

async function setUpRunner(t: Test, { onConnection = () => {}, onUpgrade }: SocketServer) {
  const server = createServer((_request, response) => response.writeHead(426).end('upgrade'));
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (protocols) => [...protocols][0] ?? false });
  const upgrades: IncomingMessage[] = [];
  server.on('upgrade', (request, socket, head) => {
    upgrades.push(request);
    if (onUpgrade) onUpgrade(request, socket);
    else sockets.handleUpgrade(request, socket, head, (connected) => onConnection(connected, request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dispatcher = createTargetDispatcher();
  t.teardown(async () => {
    dispatcher.close();
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const project = createTestProject({ baseUrl: `http://127.0.0.1:${getPort(server)}`, token: 'a-token-of-the-target' });
  const runner = createRunner({ project, dispatcher, clock: systemClock, version: '0.4.0' });
  const run = (
    checks: readonly string[],
    { messages = [] as string[], headers = '', timeoutS = 5, prove = false } = {},
  ) => {
    const fence = messages.length === 0 ? '' : `\n\n~~~messages\n${messages.join('\n')}\n~~~`;
    const trigger = `GET \${INGESTION_URL}/socket?room=1\nX-Request-Id: \${correlation_id}${headers}${fence}`;
    return runner.execute({ ...createRunRequest(scenarioText(trigger, checks, timeoutS)), prove });
  };
  return { run, sockets, upgrades };
}

/** Answers each message with an order and its state. */
function answer(socket: WebSocket): void {
  socket.send('{"state":"ready","total":9.50}');
  socket.on('message', (data) => socket.send(`{"state":"paid","of":${String(data)}}`));
}

t.test('messages are sent and received until the check holds', async (t) => {
  let closeCode = 0;
  const { run, upgrades } = await setUpRunner(t, {
    onConnection: (socket) => {
      answer(socket);
      socket.on('close', (code) => {
        closeCode = code;
      });
    },
  });
  const checks = ['status=101', 'receive messages until body some state equals paid within 10s', 'body length = 2'];
  const report = await run([...checks, 'body has [0].total equals 9.50', 'body has [1].of.id equals 7'], {
    messages: ['{ "id": 7 }'],
    prove: true,
  });
  t.match(report, {
    result: 'passed',
    exchange: { request: { body: '{ "id": 7 }' }, response: { body: { text: /^\[\{"state":"ready"/ } } },
  });
  t.equal(report.proof?.checks.find(({ text }) => text.startsWith('receive'))?.verdict, 'proven');
  await eventually(() => closeCode === 1000, { description: 'the connection is closed in order' });
  const [upgrade] = upgrades;
  t.match(upgrade?.headers, { authorization: 'Bearer a-token-of-the-target', 'x-correlation-id': /^tr-/ });
  t.equal(upgrade?.url, '/socket?room=1');
  t.notMatch(JSON.stringify(report), 'a-token-of-the-target');
});

t.test('a number, a time, the end, texts, bytes and a subprotocol', async (t) => {
  const { run } = await setUpRunner(t, {
    onConnection: (socket) => {
      socket.send(`hello ${socket.protocol}`);
      socket.send(Buffer.from([1, 255]));
      socket.on('message', () => socket.close(1000));
    },
  });
  const texts = ['body has [0] equals hello chat', 'body has [1].base64 equals Af8='];
  const headers = '\nSec-WebSocket-Protocol: chat';
  t.match(await run(['status=101', 'receive 2 messages within 10s', ...texts], { headers }), { result: 'passed' });
  t.match(await run(['status=101', 'receive messages for 300ms', ...texts], { headers }), { result: 'passed' });
  t.match(await run(['status=101', 'receive messages', ...texts], { headers, messages: ['bye'] }), {
    result: 'passed',
  });
});

t.test('a connection that ends before the moment fails', async (t) => {
  const { run } = await setUpRunner(t, {
    onConnection: (socket) => {
      socket.send('{"state":"open"}');
      socket.close(1000);
    },
  });
  const until = 'receive messages until body some state equals paid within 10s';
  t.match(await run(['status=101', until]), {
    result: 'failed',
    failed_checks: [{ text: until, actual: /^none of 1.*; the stream ended after 1 message$/ }],
  });
  t.match(await run(['status=101', 'receive 2 messages within 10s']), { result: 'failed' });
  t.match(await run(['status=101', 'receive messages for 10s']), { result: 'failed' });
});

t.test('a closing for an error, and a connection that breaks off, never pass', async (t) => {
  const failing = await setUpRunner(t, {
    onConnection: (socket) => {
      socket.send('1');
      socket.close(1011, 'internal error');
    },
  });
  t.match(await failing.run(['status=101', 'receive messages', 'body length = 1']), {
    result: 'failed',
    failed_checks: [{ actual: 'the target closed the connection with code 1011, after 1 message' }],
  });
  const broken = await setUpRunner(t, {
    onConnection: (socket) => socket.send('1', () => socket.terminate()),
  });
  t.match(await broken.run(['status=101', 'receive messages']), {
    result: 'failed',
    failure: { kind: 'protocol_error', message: /ended early/ },
  });
});

t.test('the time is over, and nothing came', async (t) => {
  const { run, sockets } = await setUpRunner(t, {});
  t.match(await run(['status=101', 'receive messages until body length = 0 within 200ms']), {
    result: 'failed',
    failed_checks: [{ actual: '0 messages in the time' }],
  });
  t.match(await run(['status=101', 'receive messages'], { timeoutS: 1 }), { failure: { kind: 'timeout' } });
  await eventually(() => sockets.clients.size === 0, { description: 'connections are closed' });
});

t.test('an upgrade that was refused never passes', async (t) => {
  const refuse = (text: string) => (_request: IncomingMessage, socket: Duplex) => socket.end(text);
  const body = '[{"state":"paid"}]';
  const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  const until = 'receive messages until body some state equals paid within 5s';
  for (const status of ['401 Unauthorized', '200 OK']) {
    const { run } = await setUpRunner(t, { onUpgrade: refuse(`HTTP/1.1 ${status}\r\n${json}`) });
    t.match(await run([`status=${status.slice(0, 3)}`, until]), {
      result: 'failed',
      failed_checks: [{ text: until, actual: `no stream: status ${status.slice(0, 3)}, application/json` }],
    });
  }
  const wrongKey =
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n';
  const { run } = await setUpRunner(t, { onUpgrade: refuse(wrongKey) });
  const invalid = await run(['status=101', 'receive messages for 100ms']);
  t.match(invalid, { result: 'failed', failure: { kind: 'protocol_error' } });
  t.equal(findFailureCode(invalid.failure), 'EXECUTOR_SOCKET_INVALID');
  const closed = await setUpRunner(t, { onUpgrade: (_request, socket) => socket.destroy() });
  t.match(await closed.run(['receive messages for 100ms', 'status=101']), { failure: { kind: 'protocol_error' } });
});

t.test('more than 1,000 messages, or one that is too large, end the run', async (t) => {
  const { run } = await setUpRunner(t, {
    onConnection: (socket) => {
      socket.on('message', (data) => {
        if (String(data) === 'many') for (let index = 0; index < 1001; index += 1) socket.send('1');
        else socket.send('x'.repeat(11 * 1024 * 1024));
      });
    },
  });
  t.match(await run(['status=101', 'receive messages for 10s'], { messages: ['many'] }), {
    result: 'failed',
    failed_checks: [{ actual: 'more than 1000 messages, which is the limit' }],
  });
  t.match(await run(['status=101', 'receive messages for 10s'], { messages: ['large'] }), {
    failure: { kind: 'response_too_large' },
  });
});

t.test('nothing listens, and a server without WebSockets', async (t) => {
  const runner = createTestRunner(t, { origin: 'http://127.0.0.1:9' });
  const text = scenarioText('GET ${INGESTION_URL}/a\nX-Request-Id: ${correlation_id}', [
    'receive messages',
    'status=101',
  ]);
  t.match(await runner.execute(createRunRequest(text)), { failure: { kind: 'target_unreachable' } });
});

t.test('over TLS the certificate is verified', async (t) => {
  const folder = t.testdir();
  const root = createRootCertificate(folder);
  const server = createTlsServer(root.leaf('localhost'));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.send('{"state":"ready"}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const trusting = createTargetDispatcher({ extraRoots: [root.cert] });
  const other = createTargetDispatcher();
  t.teardown(async () => {
    for (const client of sockets.clients) client.terminate();
    for (const dispatcher of [trusting, other]) dispatcher.close();
    server.close();
    await once(server, 'close');
  });
  const project = createTestProject({ baseUrl: `https://localhost:${getPort(server)}` });
  const checks = ['status=101', 'receive 1 messages within 5s', 'body has [0].state equals ready'];
  const text = scenarioText('GET ${INGESTION_URL}/a\nX-Request-Id: ${correlation_id}', checks);
  const run = (dispatcher: typeof other) =>
    createRunner({ project, dispatcher, clock: systemClock, version: '0.4.0' }).execute(createRunRequest(text));
  t.match(await run(trusting), { result: 'passed' });
  t.match(await run(other), { failure: { kind: 'protocol_error', message: /certificate/ } });
});
