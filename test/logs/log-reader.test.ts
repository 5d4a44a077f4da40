import { statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { startLogReader } from '../../src/assemble/log-reader.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { readerSource } from '../../src/logs/reader-source.ts';
import { fakeEngine } from './fake-engine.ts';
import { closedWith, folderFor, linesOf, until } from './folder.ts';

const id = 'tr-20261120T143012345-x7';
type Test = Parameters<typeof folderFor>[0];
type Engine = Awaited<ReturnType<typeof fakeEngine>>;

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const environment = { clock: systemClock, random: systemRandom };

/** A log reader in front of `engine`. */
async function readerOf(t: Test, { engine }: Engine, socketPath = join(folderFor(t), 'r.sock')) {
  const reader = closedWith(t, await startLogReader({ environment, engine, socketPath, log: silent }));
  return { reader, socketPath };
}

/** What an executor has of it, once it hears. */
async function sourceFor(t: Test, engine: Engine, services: readonly string[] = []) {
  const { reader, socketPath } = await readerOf(t, engine);
  const source = closedWith(t, readerSource({ socketPath, services, clock: systemClock }));
  await source.ready(5000);
  return { reader, socketPath, source };
}

t.test('lines of every service of the project are seen, from both streams, and none from before', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const db = engine.add('db');
  engine.write(app, `${id} before`);
  const { reader, source } = await sourceFor(t, engine);
  t.strictSame(reader.services, ['app', 'db']);
  t.equal(source.trouble(), undefined);
  const watch = source.watch(id);
  engine.write(app, `{"reqId":"${id}","text":"a \\"quoted\\" Zoë"}`);
  engine.write(app, `${id} error`, 2);
  engine.write(db, `${id} query`);
  engine.write(db, 'noise');
  const lines = [...(await linesOf(watch, 3))].sort();
  t.strictSame(lines, [`${id} error`, `${id} query`, `{"reqId":"${id}","text":"a \\"quoted\\" Zoë"}`].sort());
  t.strictSame(engine.trespasses(), []);
});

t.test('only the services asked for are followed', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const db = engine.add('db');
  const { source } = await sourceFor(t, engine, ['app']);
  const watch = source.watch(id);
  engine.write(db, `${id} db`);
  engine.write(app, `${id} app`);
  t.strictSame(await linesOf(watch, 1), [`${id} app`]);
  t.notOk(engine.requests.some((line) => line.includes(db.id)));
});

t.test('containers of other projects are never read, whatever the engine lists', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const foreign = engine.add('app', {
    labels: { 'com.docker.compose.project': 'bank', 'com.docker.compose.service': 'app' },
  });
  const odd = engine.add('app', { id: '../../secrets/json?x=' });
  const bare = engine.add('app', { labels: {} });
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  engine.write(foreign, `${id} foreign`);
  engine.write(app, `${id} ours`);
  t.strictSame(await linesOf(watch, 1), [`${id} ours`]);
  for (const { id } of [foreign, odd, bare]) t.notOk(engine.requests.some((line) => line.includes(id)));
  t.strictSame(engine.trespasses(), []);
});

t.test('lines over 16 KiB come in pieces and are joined, with a terminal and without', async (t) => {
  const engine = await fakeEngine(t);
  const { source } = await (async () => {
    engine.add('app');
    engine.add('shell', { tty: true });
    return sourceFor(t, engine);
  })();
  const watch = source.watch(id);
  const long = JSON.stringify({ reqId: id, padding: 'ü'.repeat(500_000) });
  for (const container of engine.containers) {
    engine.write(container, long);
    engine.write(container, `${id} after`);
  }
  const lines = [...(await linesOf(watch, 4))].sort();
  t.ok(lines.slice(0, 2).every((line) => line === `${id} after`));
  t.ok(lines.slice(2).every((line) => line === long));
});

t.test('a container that starts later is read from its beginning', async (t) => {
  const engine = await fakeEngine(t);
  engine.add('db');
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  const app = engine.add('app');
  engine.write(app, `${id} first words`);
  engine.tellStart();
  await linesOf(watch, 1);
  engine.write(app, `${id} more`);
  t.strictSame(await linesOf(watch, 2), [`${id} first words`, `${id} more`]);
});

t.test('a container that is started again goes on without repeating a line', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const later = engine.add('later', { state: 'exited' });
  engine.write(later, `${id} long ago`);
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  engine.write(app, `${id} one`);
  await linesOf(watch, 1);
  engine.halt(app);
  engine.write(app, `${id} two`);
  app.state = 'running';
  later.state = 'running';
  engine.write(later, `${id} again`);
  engine.tellStart();
  t.strictSame([...(await linesOf(watch, 3))].sort(), [`${id} again`, `${id} one`, `${id} two`]);
});

t.test('a connection to the engine that breaks is taken up again: no line is lost, none comes twice', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  for (let n = 0; n < 300; n += 1) {
    engine.write(app, `${id} ${n}`, n % 3 === 0 ? 2 : 1);
    if (n % 100 === 50) {
      await linesOf(watch, n);
      engine.cut(app);
    }
  }
  t.strictSame(
    [...(await linesOf(watch, 300))].map((line) => Number(line.split(' ')[1])).sort((a, b) => a - b),
    Array.from({ length: 300 }, (_, n) => n),
  );
  t.strictSame(engine.trespasses(), []);
});

t.test('what stands in the way is told with its cure, and goes when it is gone', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app', { state: 'exited' });
  const { reader, socketPath } = await readerOf(t, engine);
  const source = closedWith(t, readerSource({ socketPath, services: ['app'], clock: systemClock }));
  const troubled = (pattern: RegExp): Promise<boolean> => until(() => pattern.test(source.trouble()?.problem ?? ''));
  t.ok(await troubled(/project shop has no running container of the service app/), 'LOG_CONTAINERS_ABSENT');
  app.state = 'running';
  engine.tellStart();
  t.ok(await until(() => source.trouble() === undefined));
  engine.halt(app);
  t.ok(await troubled(/no running container/));
  engine.answerListWith(500);
  engine.tellStart();
  t.ok(await troubled(/the list of containers with status 500/), 'LOG_ENGINE_FAULT');
  engine.answerListWith(200);
  app.refusal = 501;
  app.state = 'running';
  engine.tellStart();
  t.ok(await troubled(/keeps no readable log of shop-app-1/), 'LOG_DRIVER_UNREADABLE');
  t.match(source.trouble()?.cure, /json-file/);
  engine.containers.length = 0;
  engine.tellStart();
  t.ok(await troubled(/no running container/));
  await reader.close();
  t.ok(await troubled(/the log reader at .* is not heard/), 'LOG_READER_UNREACHABLE');
});

t.test('a source takes up a log reader that was started anew', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const { reader, socketPath, source } = await sourceFor(t, engine);
  await reader.close();
  t.ok(await until(() => source.trouble() !== undefined));
  await readerOf(t, engine, socketPath);
  await source.ready(5000);
  const watch = source.watch(id);
  engine.write(app, `${id} again`);
  t.strictSame(await linesOf(watch, 1), [`${id} again`]);
});

t.test('what is written while the log reader is away is told when it is back, and nothing twice', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const { reader, socketPath, source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  engine.write(app, `${id} 1`);
  await linesOf(watch, 1);
  await reader.close();
  t.ok(await until(() => source.trouble() !== undefined));
  engine.write(app, `${id} 2`);
  const brief = engine.add('job', { state: 'exited' });
  engine.write(brief, `${id} from one that has ended again`);
  await readerOf(t, engine, socketPath);
  await source.ready(5000);
  engine.write(app, `${id} 3`);
  t.strictSame([...(await linesOf(watch, 4))].sort(), [
    ...[1, 2, 3].map((n) => `${id} ${n}`),
    `${id} from one that has ended again`,
  ]);
  t.strictSame([...source.watch(id).lines].sort(), [...watch.lines].sort());
  t.strictSame(engine.trespasses(), []);
});

t.test('a source that comes back leaves out what is older than it asks for', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  engine.write(app, `${id} long ago`, 1, new Date(Date.now() - 3_600_000).toISOString());
  engine.write(app, `${id} asked for`);
  const { socketPath } = await readerOf(t, engine);
  const after = Date.now() - 60_000;
  const heard = await new Promise<string>((told) => {
    let text = '';
    const asked = request({ socketPath, path: `/v1/tail?after=${after}`, headers: { host: 'localhost' } }, (answer) => {
      answer.on('data', (chunk) => {
        text += chunk;
        if (/asked for/.test(text)) asked.destroy();
      });
      answer.on('close', () => told(text));
      answer.on('error', () => {});
    });
    asked.end();
  });
  t.notMatch(heard, 'long ago');
});

t.test('a log reader that falls silent is said to be so before a run stops waiting for its lines', async (t) => {
  const socketPath = join(folderFor(t), 'r.sock');
  const frozen = createServer((_, answer) =>
    answer.writeHead(200).write('{"state":{"services":["app"],"trouble":null}}\n'),
  );
  await new Promise<void>((ready) => frozen.listen(socketPath, ready));
  t.teardown(() => frozen.close().closeAllConnections());
  const source = closedWith(t, readerSource({ socketPath, clock: systemClock }));
  await source.ready(5000);
  t.equal(source.trouble(), undefined);
  const startedMs = Date.now();
  t.ok(await until(() => source.trouble() !== undefined));
  t.match(source.trouble()?.problem, /silent for 3 s/);
  t.ok(Date.now() - startedMs < 4500);
});

t.test('a container that was removed is forgotten quietly', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const gone = engine.add('gone', { refusal: 404 });
  const { source } = await sourceFor(t, engine);
  t.equal(source.trouble(), undefined);
  engine.containers.splice(engine.containers.indexOf(gone), 1);
  engine.cut(app);
  const watch = source.watch(id);
  engine.write(app, `${id} still`);
  t.strictSame(await linesOf(watch, 1), [`${id} still`]);
});

t.test('an engine that is away ends the log reader, at its start and later', async (t) => {
  const engine = await fakeEngine(t);
  engine.add('app');
  const { reader } = await sourceFor(t, engine);
  await engine.stop();
  t.match(await reader.engineLost, { code: 'LOG_ENGINE_UNREACHABLE', row: { exit: 4 } });
  await t.rejects(readerOf(t, engine), { code: 'LOG_ENGINE_UNREACHABLE', message: engine.socketPath });
});

t.test('the socket is for its user and group only', async (t) => {
  const engine = await fakeEngine(t);
  const { socketPath } = await readerOf(t, engine);
  t.equal(statSync(socketPath).mode & 0o777, 0o660);
});

t.test('200,000 lines of noise go through, and the right one is found', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  for (let n = 0; n < 200_000; n += 1) {
    engine.write(app, n === 150_000 ? `{"reqId":"${id}"}` : `{"level":30,"n":${n},"reqId":"tr-other"}`);
    if (n % 2000 === 0) await new Promise((done) => setImmediate(done));
  }
  engine.write(app, `${id} last`);
  t.strictSame(await linesOf(watch, 2), [`{"reqId":"${id}"}`, `${id} last`]);
});
