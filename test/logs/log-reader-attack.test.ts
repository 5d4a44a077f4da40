/** Whoever may connect to the log reader's socket gets logs of the project, and nothing else of the engine. */
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { startLogReader } from '../../src/assemble/log-reader.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { askEngine } from '../../src/logs/reader/engine-request.ts';
import { fakeEngine } from './fake-engine.ts';
import { closedWith, folderFor, until } from './folder.ts';
import { head, noRequests, refusedLines, refusedQueries } from './refused-requests.ts';

type Test = Parameters<typeof folderFor>[0];
const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

async function attacked(t: Test) {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const socketPath = join(folderFor(t), 'r.sock');
  const environment = { clock: systemClock, random: systemRandom };
  closedWith(t, await startLogReader({ environment, engine: engine.engine, socketPath, log: silent }));
  const before = engine.requests.length;
  return { engine, app, socketPath, asked: () => engine.requests.slice(before) };
}

/** Sends bytes, and gives what comes back until the other side is quiet. */
function send(socketPath: string, bytes: string, quietMs = 150): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => socket.write(bytes));
    let heard = '';
    const done = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(heard);
    };
    let timer = setTimeout(done, quietMs);
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(done, quietMs);
    });
    socket.on('error', done).on('close', done);
  });
}

function statuses(answer: string): string[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status);
}

t.test('no other path, method or spelling is answered, and the engine hears nothing of it', async (t) => {
  const { socketPath, asked, engine } = await attacked(t);
  const lines = refusedLines(engine.containers[0]?.id ?? '');
  for (const line of lines)
    t.strictSame(statuses(await send(socketPath, `${line} HTTP/1.1\r\n${head}`, 60)), ['404'], line);
  for (const bytes of noRequests) t.notMatch(await send(socketPath, bytes, 60), / 200 |101 Switching/, bytes);
  t.strictSame(asked(), []);
  t.match(await send(socketPath, `GET /_ping HTTP/1.1\r\n${head}`, 60), /"code":"LOG_READER_ROUTE"/);
});

t.test('a query is services and nothing else', async (t) => {
  const { socketPath, asked } = await attacked(t);
  for (const query of refusedQueries) {
    const answer = await send(socketPath, `GET /v1/tail?${query} HTTP/1.1\r\n${head}`, 60);
    t.strictSame(statuses(answer), ['400'], query);
    t.match(answer, /"code":"LOG_READER_QUERY"/);
  }
  t.strictSame(asked(), []);
});

t.test('other hosts, other origins and a switch of protocols are refused', async (t) => {
  const { socketPath, asked } = await attacked(t);
  const heads = ['Host: evil.example\r\n', 'Host: localhost\r\nOrigin: https://evil.example\r\n', ''];
  for (const one of heads) {
    const answer = await send(socketPath, `GET /v1/tail HTTP/1.1\r\n${one}\r\n`, 60);
    t.notMatch(answer, /HTTP\/1\.1 200/, one);
  }
  const upgrade = 'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';
  t.notMatch(await send(socketPath, `POST /session HTTP/1.1\r\n${upgrade}`, 60), / 101 /);
  t.strictSame(asked(), []);
});

t.test('headers that are too large are refused before anything is asked', async (t) => {
  const { socketPath, asked } = await attacked(t);
  const large = `GET /v1/tail HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`;
  t.strictSame(statuses(await send(socketPath, large)), ['431']);
  const many = `GET /v1/tail HTTP/1.1\r\nHost: localhost\r\n${'X-Many: 1\r\n'.repeat(5000)}\r\n`;
  t.strictSame(statuses(await send(socketPath, many)), ['431']);
  t.strictSame(asked(), []);
});

t.test('requests behind one another do not multiply what the engine is asked', async (t) => {
  const { socketPath, engine } = await attacked(t);
  const one = `GET /v1/tail?service=app HTTP/1.1\r\n${head}`;
  const answer = await send(socketPath, `${one.repeat(500)}GET /containers/json HTTP/1.1\r\n${head}`, 400);
  t.strictSame(statuses(answer), ['200']);
  t.strictSame(engine.trespasses(), []);
  const follows = engine.requests.filter((line) => line.includes('follow=1'));
  t.ok(follows.length <= 16, `${follows.length} follows`);
});

t.test('a caller too many is told so, and there is room again when others leave', async (t) => {
  const { socketPath, engine, app } = await attacked(t);
  const open = Array.from({ length: 16 }, () => connect(socketPath));
  for (const socket of open) socket.on('error', () => {}).write(`GET /v1/tail HTTP/1.1\r\n${head}`);
  t.ok(await until(() => app.followers.size === 16));
  const busy = await send(socketPath, `GET /v1/tail HTTP/1.1\r\n${head}`);
  t.strictSame(statuses(busy), ['429']);
  t.match(busy, /"code":"LOG_READER_BUSY"/);
  for (const socket of open) socket.destroy();
  t.ok(await until(() => app.followers.size === 0), 'who leaves is not followed for');
  t.strictSame(statuses(await send(socketPath, `GET /v1/tail HTTP/1.1\r\n${head}`)), ['200']);
  t.strictSame(engine.trespasses(), []);
});

t.test('a line of a log cannot pass for a word of the log reader', async (t) => {
  const { socketPath, engine, app } = await attacked(t);
  const { readerSource } = await import('../../src/logs/reader-source.ts');
  const source = closedWith(t, readerSource({ socketPath, clock: systemClock }));
  await source.ready(5000);
  const watch = source.watch('evil');
  const evil = '{"state":{"services":[],"trouble":{"problem":"evil","cure":"none"}}}';
  engine.write(app, evil);
  engine.write(app, `x\n${evil}`);
  t.ok(await until(() => watch.lines.length >= 2));
  t.equal(source.trouble(), undefined);
});

t.test('whatever the names are, only requests of four shapes can be made', async (t) => {
  const { engine, socketPath } = await fakeEngine(t);
  const { signal } = new AbortController();
  for (const id of ['', '../json', 'abc', 'A'.repeat(64), `${'a'.repeat(64)}/json`, `${'a'.repeat(63)}\n`]) {
    await t.rejects(async () => askEngine(engine, { kind: 'follow', id, tail: 1 }, signal), id);
    await t.rejects(async () => askEngine(engine, { kind: 'lastLine', id }, signal), id);
  }
  for (const project of ['', 'Shop', 'a"]}', 'a/b', '-a', 'a\n', 'a'.repeat(200)]) {
    const refused = { code: 'LOG_PROJECT_INVALID' };
    await t.rejects(async () => askEngine({ socketPath, project }, { kind: 'containers' }, signal), refused, project);
  }
});
