import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import t from 'tap';
import { sourceOf } from '../../src/logs/open-source.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { closedWith, folderFor, linesOf } from './folder.ts';

t.test('a file is named from the working folder', async (t) => {
  const cwd = folderFor(t);
  writeFileSync(join(cwd, 'app.log'), 'old x\n');
  const source = closedWith(t, await sourceOf('app.log', memoryEnvironment({ cwd }).environment));
  await source.ready(5000);
  const watch = source.watch('x');
  appendFileSync(join(cwd, 'app.log'), 'new x\n');
  t.strictSame(await linesOf(watch, 1), ['new x']);
});

t.test('a minus is standard input, unless that is a terminal', async (t) => {
  folderFor(t);
  const { environment } = memoryEnvironment();
  const source = closedWith(t, await sourceOf('-', environment));
  const watch = source.watch('x');
  if (environment.streams.stdin instanceof PassThrough) environment.streams.stdin.write('a x\n');
  t.strictSame(await linesOf(watch, 1), ['a x']);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const terminal = { ...environment, streams: { ...environment.streams, stdin } };
  await t.rejects(sourceOf('-', terminal), { code: 'LOG_STDIN_TERMINAL', cure: /docker compose logs -f/ });
});

t.test('a socket is one of a log reader', async (t) => {
  const cwd = folderFor(t);
  for (const spec of ['unix:log.sock', `unix:${cwd}/log.sock`, `unix://${cwd}/log.sock`]) {
    const source = closedWith(t, await sourceOf(spec, memoryEnvironment({ cwd }).environment));
    await source.ready(100);
    t.match(source.trouble()?.problem, `the log reader at ${cwd}/log.sock is not heard`, 'LOG_READER_UNREACHABLE');
  }
});

t.test('anything else is refused, with the reason', async (t) => {
  const cwd = folderFor(t);
  mkdirSync(join(cwd, 'logs'));
  const server = createServer().listen(join(cwd, 's.sock'));
  await new Promise((done) => server.once('listening', done));
  t.teardown(() => server.close());
  const cases: [string, RegExp][] = [
    ['', /is empty/],
    ['  ', /is empty/],
    ['unix:', /path of the socket is missing/],
    [`unix:${'x'.repeat(200)}`, /at most 107 bytes/],
    ['tcp://127.0.0.1:2375', /addresses of the network/],
    ['logs', /it is a folder/],
    ['s.sock', /write `unix:` before it/],
    ['a\0b', /zero byte/],
  ];
  for (const [spec, message] of cases) {
    const refused = { code: 'LOG_SOURCE_INVALID', message, cure: /standard input/ };
    await t.rejects(sourceOf(spec, memoryEnvironment({ cwd }).environment), refused, spec);
  }
});
