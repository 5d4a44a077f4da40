import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import t from 'tap';
import { openLogSource } from '../../../src/logs/sources/open-log-source.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { eventually } from '../../eventually.ts';
import { closeAfterTest, createLogFolder, waitForLines } from '../log-folder.ts';

t.test('a file path is relative to the working folder', async (t) => {
  const cwd = createLogFolder(t);
  writeFileSync(join(cwd, 'app.log'), 'old x\n');
  const source = closeAfterTest(t, await openLogSource('app.log', memoryEnvironment({ cwd }).environment));
  await source.ready(5000);
  const watch = source.watch('x');
  appendFileSync(join(cwd, 'app.log'), 'new x\n');
  t.strictSame(await waitForLines(watch, 1), ['new x']);
});

t.test('`-` is standard input, unless that is a terminal', async (t) => {
  createLogFolder(t);
  const { environment } = memoryEnvironment();
  const source = closeAfterTest(t, await openLogSource('-', environment));
  const watch = source.watch('x');
  if (environment.streams.stdin instanceof PassThrough) environment.streams.stdin.write('a x\n');
  t.strictSame(await waitForLines(watch, 1), ['a x']);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const terminal = { ...environment, streams: { ...environment.streams, stdin } };
  await t.rejects(openLogSource('-', terminal), { code: 'LOG_STDIN_TERMINAL', cure: /docker compose logs -f/ });
});

t.test('a socket is that of a log reader', async (t) => {
  const cwd = createLogFolder(t);
  for (const spec of ['unix:log.sock', `unix:${cwd}/log.sock`, `unix://${cwd}/log.sock`]) {
    const source = closeAfterTest(t, await openLogSource(spec, memoryEnvironment({ cwd }).environment));
    await source.ready(100);
    t.match(
      source.getProblem()?.problem,
      `the log reader at ${cwd}/log.sock cannot be reached`,
      'LOG_READER_UNREACHABLE',
    );
  }
});

t.test('a log reader is asked for the configured services only', async (t) => {
  const cwd = createLogFolder(t);
  const paths: (string | undefined)[] = [];
  const reader = createHttpServer((request, response) => {
    paths.push(request.url);
    response.write('{"state":{"services":["app"],"trouble":null}}\n');
    response.write('{"service":"app","container":"c","stream":"stdout","at":"2026-11-22T10:00:00Z","text":"a line"}\n');
  });
  await new Promise<void>((resolve) => reader.listen(join(cwd, 'log.sock'), resolve));
  t.teardown(() => {
    reader.closeAllConnections();
    reader.close();
  });
  const { environment } = memoryEnvironment({ cwd });
  const source = closeAfterTest(t, await openLogSource('unix:log.sock', environment, ['app', 'worker']));
  await source.ready(5000);
  t.same(paths, ['/v1/tail?service=app&service=worker']);
  t.ok(await eventually(() => source.hasGivenLines()));
});

t.test('other sources are refused with the reason', async (t) => {
  const cwd = createLogFolder(t);
  mkdirSync(join(cwd, 'logs'));
  const server = createServer().listen(join(cwd, 's.sock'));
  await new Promise((done) => server.once('listening', done));
  t.teardown(() => server.close());
  const cases: [string, RegExp][] = [
    ['', /is empty/],
    ['  ', /is empty/],
    ['unix:', /path of the socket is missing/],
    [`unix:${'x'.repeat(200)}`, /at most 107 bytes/],
    ['tcp://127.0.0.1:2375', /network addresses/],
    ['logs', /it is a folder/],
    ['s.sock', /prefix it with `unix:`/],
    ['a\0b', /null byte/],
  ];
  for (const [spec, message] of cases) {
    const refusedSources = { code: 'LOG_SOURCE_INVALID', message, cure: /standard input/ };
    await t.rejects(openLogSource(spec, memoryEnvironment({ cwd }).environment), refusedSources, spec);
  }
});
