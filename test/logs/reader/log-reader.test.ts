import { statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { startLogReader } from '../../../src/assemble/log-reader.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { openReaderSource } from '../../../src/logs/sources/reader-source.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { closeAfterTest, createLogFolder, waitForLines } from '../log-folder.ts';
import { startFakeEngine } from './fake-engine.ts';

const id = 'tr-20261120T143012345-x7';
type Test = Parameters<typeof createLogFolder>[0];
type Engine = Awaited<ReturnType<typeof startFakeEngine>>;

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const environment = { clock: systemClock, random: systemRandom };

/** A log reader for `engine`. */
async function startReader(t: Test, { engine }: Engine, socketPath = join(createLogFolder(t), 'r.sock')) {
  const reader = closeAfterTest(t, await startLogReader({ environment, engine, socketPath, log: silent }));
  return { reader, socketPath };
}

/** A source as an executor opens it, once it is ready. */
async function sourceFor(t: Test, engine: Engine, services: readonly string[] = []) {
  const { reader, socketPath } = await startReader(t, engine);
  const source = closeAfterTest(t, openReaderSource({ socketPath, services, clock: systemClock }));
  await source.ready(5000);
  return { reader, socketPath, source };
}

t.test('lines of every service of the project are seen, from both streams, and no earlier ones', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const db = engine.add('db');
  engine.write(app, `${id} before`);
  const { reader, source } = await sourceFor(t, engine);
  t.strictSame(reader.services, ['app', 'db']);
  t.equal(source.getProblem(), undefined);
  const watch = source.watch(id);
  engine.write(app, `{"reqId":"${id}","text":"a \\"quoted\\" Zoë"}`);
  engine.write(app, `${id} error`, 2);
  engine.write(db, `${id} query`);
  engine.write(db, 'noise');
  const lines = [...(await waitForLines(watch, 3))].sort();
  t.strictSame(lines, [`${id} error`, `${id} query`, `{"reqId":"${id}","text":"a \\"quoted\\" Zoë"}`].sort());
  t.strictSame(engine.trespasses(), []);
});

t.test('lines come with the start of the process that wrote them', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const { source } = await sourceFor(t, engine);
  const before = source.watch(id);
  engine.write(app, `${id} one`);
  await waitForLines(before, 1);
  t.equal(before.processStartedAtMs, Date.parse(app.startedAt));
  engine.halt(app);
  app.state = 'running';
  app.startedAt = new Date().toISOString();
  engine.emitStart();
  const after = source.watch('tr-after');
  engine.write(app, 'tr-after two');
  await waitForLines(after, 1);
  t.equal(after.processStartedAtMs, Date.parse(app.startedAt));
  t.strictSame(engine.trespasses(), []);
});

t.test('without an answer about the start, lines come all the same', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app', { startedAt: 'never' });
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  engine.write(app, `${id} one`);
  t.strictSame(await waitForLines(watch, 1), [`${id} one`]);
  t.equal(watch.processStartedAtMs, undefined);
});

t.test('lines know the image of the container of each service, where the engine names a digest', async (t) => {
  const engine = await startFakeEngine(t);
  const digest = 'ab'.repeat(32);
  const containers = [
    engine.add('app', { image: `sha256:${digest}` }),
    engine.add('worker', { image: digest.replaceAll('a', 'c') }),
    engine.add('proxy', { image: 'proxy:latest' }),
  ];
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  for (const container of containers) engine.write(container, `${id} ${container.service}`);
  await waitForLines(watch, 3);
  t.same(
    new Map([...(watch.images ?? [])].sort()),
    new Map([
      ['app', `sha256:${digest}`],
      ['worker', `sha256:${'cb'.repeat(32)}`],
    ]),
  );
});

t.test('only the requested services are followed', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const db = engine.add('db');
  const { source } = await sourceFor(t, engine, ['app']);
  const watch = source.watch(id);
  engine.write(db, `${id} db`);
  engine.write(app, `${id} app`);
  t.strictSame(await waitForLines(watch, 1), [`${id} app`]);
  t.notOk(engine.requests.some((line) => line.includes(db.id)));
});

t.test('containers of other projects are never read, whatever the engine lists', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const foreign = engine.add('app', {
    labels: { 'com.docker.compose.project': 'bank', 'com.docker.compose.service': 'app' },
  });
  const malformed = engine.add('app', { id: '../../secrets/json?x=' });
  const bare = engine.add('app', { labels: {} });
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  engine.write(foreign, `${id} foreign`);
  engine.write(app, `${id} ours`);
  t.strictSame(await waitForLines(watch, 1), [`${id} ours`]);
  for (const { id } of [foreign, malformed, bare]) t.notOk(engine.requests.some((line) => line.includes(id)));
  t.strictSame(engine.trespasses(), []);
});

t.test('lines over 16 KiB arrive in pieces and are joined, with a terminal and without', async (t) => {
  const engine = await startFakeEngine(t);
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
  const lines = [...(await waitForLines(watch, 4))].sort();
  t.ok(lines.slice(0, 2).every((line) => line === `${id} after`));
  t.ok(lines.slice(2).every((line) => line === long));
});

t.test('a container that starts later is read from its beginning', async (t) => {
  const engine = await startFakeEngine(t);
  engine.add('db');
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  const app = engine.add('app');
  engine.write(app, `${id} first words`);
  engine.emitStart();
  await waitForLines(watch, 1);
  engine.write(app, `${id} more`);
  t.strictSame(await waitForLines(watch, 2), [`${id} first words`, `${id} more`]);
});

t.test('a restarted container continues without repeating a line', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const later = engine.add('later', { state: 'exited' });
  engine.write(later, `${id} long ago`);
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  engine.write(app, `${id} one`);
  await waitForLines(watch, 1);
  engine.halt(app);
  engine.write(app, `${id} two`);
  app.state = 'running';
  later.state = 'running';
  engine.write(later, `${id} again`);
  engine.emitStart();
  t.strictSame([...(await waitForLines(watch, 3))].sort(), [`${id} again`, `${id} one`, `${id} two`]);
});

t.test('a broken connection to the engine is reopened: no line is lost or repeated', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  for (let n = 0; n < 300; n += 1) {
    engine.write(app, `${id} ${n}`, n % 3 === 0 ? 2 : 1);
    if (n % 100 === 50) {
      await waitForLines(watch, n);
      engine.cut(app);
    }
  }
  t.strictSame(
    [...(await waitForLines(watch, 300))].map((line) => Number(line.split(' ')[1])).sort((a, b) => a - b),
    Array.from({ length: 300 }, (_, n) => n),
  );
  t.strictSame(engine.trespasses(), []);
});

t.test('a problem is reported with its fix, and disappears when it is solved', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app', { state: 'exited' });
  const { reader, socketPath } = await startReader(t, engine);
  const source = closeAfterTest(t, openReaderSource({ socketPath, services: ['app'], clock: systemClock }));
  const createTroubledEngine = (pattern: RegExp): Promise<boolean> =>
    eventually(() => pattern.test(source.getProblem()?.problem ?? ''));
  t.ok(await createTroubledEngine(/project shop has no running container of the service app/), 'LOG_CONTAINERS_ABSENT');
  app.state = 'running';
  engine.emitStart();
  t.ok(await eventually(() => source.getProblem() === undefined));
  engine.halt(app);
  t.ok(await createTroubledEngine(/no running container/));
  engine.answerListWith(500);
  engine.emitStart();
  t.ok(await createTroubledEngine(/the list of containers with status 500/), 'LOG_ENGINE_FAULT');
  engine.answerListWith(200);
  app.refusal = 501;
  app.state = 'running';
  engine.emitStart();
  t.ok(await createTroubledEngine(/has no readable log of shop-app-1/), 'LOG_DRIVER_UNREADABLE');
  t.match(source.getProblem()?.cure, /json-file/);
  engine.containers.length = 0;
  engine.emitStart();
  t.ok(await createTroubledEngine(/no running container/));
  await reader.close();
  t.ok(await createTroubledEngine(/the log reader at .* cannot be reached/), 'LOG_READER_UNREACHABLE');
});

t.test('a source reconnects to a restarted log reader', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const { reader, socketPath, source } = await sourceFor(t, engine);
  await reader.close();
  t.ok(await eventually(() => source.getProblem() !== undefined));
  await startReader(t, engine, socketPath);
  await source.ready(5000);
  const watch = source.watch(id);
  engine.write(app, `${id} again`);
  t.strictSame(await waitForLines(watch, 1), [`${id} again`]);
});

t.test('lines written while the log reader is down are sent when it is back, without duplicates', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const { reader, socketPath, source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  engine.write(app, `${id} 1`);
  await waitForLines(watch, 1);
  await reader.close();
  t.ok(await eventually(() => source.getProblem() !== undefined));
  engine.write(app, `${id} 2`);
  const brief = engine.add('job', { state: 'exited' });
  engine.write(brief, `${id} from one that has ended again`);
  await startReader(t, engine, socketPath);
  await source.ready(5000);
  engine.write(app, `${id} 3`);
  t.strictSame([...(await waitForLines(watch, 4))].sort(), [
    ...[1, 2, 3].map((n) => `${id} ${n}`),
    `${id} from one that has ended again`,
  ]);
  t.strictSame([...source.watch(id).lines].sort(), [...watch.lines].sort());
  t.strictSame(engine.trespasses(), []);
});

t.test('a resuming source skips lines older than its request', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  engine.write(app, `${id} long ago`, 1, new Date(Date.now() - 3_600_000).toISOString());
  engine.write(app, `${id} asked for`);
  const { socketPath } = await startReader(t, engine);
  const after = Date.now() - 60_000;
  const received = await new Promise<string>((resolve) => {
    let text = '';
    const clientRequest = request(
      { socketPath, path: `/v1/tail?after=${after}`, headers: { host: 'localhost' } },
      (response) => {
        response.on('data', (chunk) => {
          text += chunk;
          if (/asked for/.test(text)) clientRequest.destroy();
        });
        response.on('close', () => resolve(text));
        response.on('error', () => {});
      },
    );
    clientRequest.end();
  });
  t.notMatch(received, 'long ago');
});

t.test('a silent log reader is reported before a run stops waiting for its lines', async (t) => {
  const socketPath = join(createLogFolder(t), 'r.sock');
  const frozen = createServer((_, response) =>
    response.writeHead(200).write('{"state":{"services":["app"],"trouble":null}}\n'),
  );
  await new Promise<void>((ready) => frozen.listen(socketPath, ready));
  t.teardown(() => frozen.close().closeAllConnections());
  const clock = fakeClock();
  const source = closeAfterTest(t, openReaderSource({ socketPath, clock }));
  await source.ready(5000);
  t.equal(source.getProblem(), undefined);
  clock.advance(2900);
  t.equal(source.getProblem(), undefined);
  clock.advance(1600);
  t.match(await eventually(() => source.getProblem()?.problem), /silent for 3 s/);
});

t.test('a removed container is dropped without a problem', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const removed = engine.add('gone', { refusal: 404 });
  const { source } = await sourceFor(t, engine);
  t.equal(source.getProblem(), undefined);
  engine.containers.splice(engine.containers.indexOf(removed), 1);
  engine.cut(app);
  const watch = source.watch(id);
  engine.write(app, `${id} still`);
  t.strictSame(await waitForLines(watch, 1), [`${id} still`]);
});

t.test('an unreachable engine ends the log reader, at its start and later', async (t) => {
  const engine = await startFakeEngine(t);
  engine.add('app');
  const { reader } = await sourceFor(t, engine);
  await engine.stop();
  t.match(await reader.engineLost, { code: 'LOG_ENGINE_UNREACHABLE', row: { exit: 4 } });
  await t.rejects(startReader(t, engine), { code: 'LOG_ENGINE_UNREACHABLE', message: engine.socketPath });
});

t.test('the socket is for its user and group only', async (t) => {
  const engine = await startFakeEngine(t);
  const { socketPath } = await startReader(t, engine);
  t.equal(statSync(socketPath).mode & 0o777, 0o660);
});

t.test('the matching line is found among 200,000 others', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const { source } = await sourceFor(t, engine);
  const watch = source.watch(id);
  for (let n = 0; n < 200_000; n += 1) {
    engine.write(app, n === 150_000 ? `{"reqId":"${id}"}` : `{"level":30,"n":${n},"reqId":"tr-other"}`);
    if (n % 2000 === 0) await new Promise((done) => setImmediate(done));
  }
  engine.write(app, `${id} last`);
  t.strictSame(await waitForLines(watch, 2), [`{"reqId":"${id}"}`, `${id} last`]);
});
