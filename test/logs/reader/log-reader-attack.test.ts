/** A client of the log reader's socket gets logs of the project, and nothing else from the engine. */
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { startLogReader } from '../../../src/assemble/log-reader.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { sendEngineRequest } from '../../../src/logs/reader/engine-request.ts';
import { eventually } from '../../eventually.ts';
import { closeAfterTest, createLogFolder } from '../log-folder.ts';
import { startFakeEngine } from './fake-engine.ts';
import { listRefusedRequestLines, malformedRequests, refusedQueries, requestHead } from './refused-requests.ts';

type Test = Parameters<typeof createLogFolder>[0];
const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

async function startAttackedReader(t: Test) {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const socketPath = join(createLogFolder(t), 'r.sock');
  const environment = { clock: systemClock, random: systemRandom };
  closeAfterTest(t, await startLogReader({ environment, engine: engine.engine, socketPath, log: silent }));
  const requestCount = engine.requests.length;
  return { engine, app, socketPath, listEngineRequests: () => engine.requests.slice(requestCount) };
}

/** Sends bytes, and returns what arrives until the other side is quiet; `firstByteMs` is the wait for a response at all. */
function send(socketPath: string, bytes: string, quietMs = 150, firstByteMs = 10_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => socket.write(bytes));
    let received = '';
    const done = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(received);
    };
    let timer = setTimeout(done, firstByteMs);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(done, quietMs);
    });
    socket.on('error', done).on('close', done);
  });
}

function statuses(responseText: string): string[] {
  return [...responseText.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status);
}

t.test('no other path, method or spelling is served, and the engine receives no request', async (t) => {
  const { socketPath, listEngineRequests, engine } = await startAttackedReader(t);
  const lines = listRefusedRequestLines(engine.containers[0]?.id ?? '');
  for (const line of lines)
    t.strictSame(statuses(await send(socketPath, `${line} HTTP/1.1\r\n${requestHead}`, 60)), ['404'], line);
  for (const bytes of malformedRequests)
    t.notMatch(await send(socketPath, bytes, 60, 60), / 200 |101 Switching/, bytes);
  t.strictSame(listEngineRequests(), []);
  t.match(await send(socketPath, `GET /_ping HTTP/1.1\r\n${requestHead}`, 60), /"code":"LOG_READER_ROUTE"/);
});

t.test('a query may contain services and nothing else', async (t) => {
  const { socketPath, listEngineRequests } = await startAttackedReader(t);
  for (const query of refusedQueries) {
    const responseText = await send(socketPath, `GET /v1/tail?${query} HTTP/1.1\r\n${requestHead}`, 60);
    t.strictSame(statuses(responseText), ['400'], query);
    t.match(responseText, /"code":"LOG_READER_QUERY"/);
  }
  t.strictSame(listEngineRequests(), []);
});

t.test('other hosts, other origins and a switch of protocols are refused', async (t) => {
  const { socketPath, listEngineRequests } = await startAttackedReader(t);
  const heads = ['Host: evil.example\r\n', 'Host: localhost\r\nOrigin: https://evil.example\r\n', ''];
  for (const hostLines of heads) {
    const responseText = await send(socketPath, `GET /v1/tail HTTP/1.1\r\n${hostLines}\r\n`, 60);
    t.notMatch(responseText, /HTTP\/1\.1 200/, hostLines);
  }
  const upgrade = 'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';
  t.notMatch(await send(socketPath, `POST /session HTTP/1.1\r\n${upgrade}`, 60), / 101 /);
  t.strictSame(listEngineRequests(), []);
});

t.test('headers that are too large are refused before any request to the engine', async (t) => {
  const { socketPath, listEngineRequests } = await startAttackedReader(t);
  const large = `GET /v1/tail HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`;
  t.strictSame(statuses(await send(socketPath, large)), ['431']);
  const many = `GET /v1/tail HTTP/1.1\r\nHost: localhost\r\n${'X-Many: 1\r\n'.repeat(5000)}\r\n`;
  t.strictSame(statuses(await send(socketPath, many)), ['431']);
  t.strictSame(listEngineRequests(), []);
});

t.test('pipelined requests do not multiply requests to the engine', async (t) => {
  const { socketPath, engine } = await startAttackedReader(t);
  const hostLines = `GET /v1/tail?service=app HTTP/1.1\r\n${requestHead}`;
  const responseText = await send(
    socketPath,
    `${hostLines.repeat(500)}GET /containers/json HTTP/1.1\r\n${requestHead}`,
    400,
  );
  t.strictSame(statuses(responseText), ['200']);
  t.strictSame(engine.trespasses(), []);
  const follows = engine.requests.filter((line) => line.includes('follow=1'));
  t.ok(follows.length <= 16, `${follows.length} follows`);
});

t.test('a client above the limit is refused, and accepted when others disconnect', async (t) => {
  const { socketPath, engine, app } = await startAttackedReader(t);
  const open = Array.from({ length: 16 }, () => connect(socketPath));
  for (const socket of open) socket.on('error', () => {}).write(`GET /v1/tail HTTP/1.1\r\n${requestHead}`);
  t.ok(await eventually(() => app.followers.size === 16));
  const busy = await send(socketPath, `GET /v1/tail HTTP/1.1\r\n${requestHead}`);
  t.strictSame(statuses(busy), ['429']);
  t.match(busy, /"code":"LOG_READER_BUSY"/);
  for (const socket of open) socket.destroy();
  t.ok(await eventually(() => app.followers.size === 0), 'who leaves is not followed for');
  t.strictSame(statuses(await send(socketPath, `GET /v1/tail HTTP/1.1\r\n${requestHead}`)), ['200']);
  t.strictSame(engine.trespasses(), []);
});

t.test('a log line cannot be mistaken for a state message', async (t) => {
  const { socketPath, engine, app } = await startAttackedReader(t);
  const { openReaderSource: readerSource } = await import('../../../src/logs/sources/reader-source.ts');
  const source = closeAfterTest(t, readerSource({ socketPath, clock: systemClock }));
  await source.ready(5000);
  const watch = source.watch('evil');
  const evil = '{"state":{"services":[],"trouble":{"problem":"evil","cure":"none"}}}';
  engine.write(app, evil);
  engine.write(app, `x\n${evil}`);
  t.ok(await eventually(() => watch.lines.length >= 2));
  t.equal(source.getProblem(), undefined);
});

t.test('whatever the names are, only four kinds of requests are possible', async (t) => {
  const { engine, socketPath } = await startFakeEngine(t);
  const { signal } = new AbortController();
  for (const id of ['', '../json', 'abc', 'A'.repeat(64), `${'a'.repeat(64)}/json`, `${'a'.repeat(63)}\n`]) {
    await t.rejects(async () => sendEngineRequest(engine, { kind: 'follow', id, tail: 1 }, signal), id);
    await t.rejects(async () => sendEngineRequest(engine, { kind: 'lastLine', id }, signal), id);
  }
  for (const project of ['', 'Shop', 'a"]}', 'a/b', '-a', 'a\n', 'a'.repeat(200)]) {
    const refusal = { code: 'LOG_PROJECT_INVALID' };
    await t.rejects(
      async () => sendEngineRequest({ socketPath, project }, { kind: 'containers' }, signal),
      refusal,
      project,
    );
  }
});
