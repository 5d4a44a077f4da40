import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { main } from '../../src/commands/main.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { readerSource } from '../../src/logs/reader-source.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { fakeEngine } from './fake-engine.ts';
import { closedWith, folderFor, linesOf, until } from './folder.ts';

type Test = Parameters<typeof folderFor>[0];

/** `vp log-reader` with these words, what it has written, and its end. */
function vp(t: Test, ...words: string[]) {
  const args = ['--import', './test/tsx-hook.mjs', 'bin/vp.ts', 'log-reader', ...words];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => {
    written.stdout += text;
  });
  child.stderr?.on('data', (text) => {
    written.stderr += text;
  });
  return { child, written, ended: once(child, 'close').then(([code]) => Number(code)) };
}

/** The same in this process. */
function here(...words: string[]) {
  const { environment, written, interrupt } = memoryEnvironment({ args: ['log-reader', ...words] });
  return { written, interrupt, ended: main(environment) };
}

t.test('it tells where it listens, serves, and ends cleanly with SIGTERM', async (t) => {
  const engine = await fakeEngine(t);
  const app = engine.add('app');
  const socketPath = join(folderFor(t), 'r.sock');
  const { child, written, ended } = vp(t, '--project', 'shop', '--socket', socketPath, '--engine', engine.socketPath);
  t.ok(await until(() => written.stdout.includes('vp executor --log')));
  t.match(written.stdout, `project    shop (app)`);
  t.match(written.stdout, `vp executor --log unix:${socketPath}`);
  const source = closedWith(t, readerSource({ socketPath, clock: systemClock }));
  await source.ready(5000);
  const watch = source.watch('tr-1');
  engine.write(app, 'GET / tr-1');
  t.strictSame(await linesOf(watch, 1), ['GET / tr-1']);
  child.kill('SIGTERM');
  t.equal(await ended, 0);
  t.notOk(existsSync(socketPath));
  for (const line of written.stderr.trim().split('\n'))
    t.match(JSON.parse(line), { role: 'log-reader', msg: /caller/ });
  t.strictSame(engine.trespasses(), []);
});

t.test('it ends with 4 when the engine goes away, or is not there', async (t) => {
  const engine = await fakeEngine(t);
  const socketPath = join(folderFor(t), 'r.sock');
  const words = ['--project', 'shop', '--socket', socketPath, '--engine', `unix://${engine.socketPath}`];
  const { written, ended } = here(...words, '--json');
  t.ok(await until(() => written.stdout.includes('\n')));
  t.match(JSON.parse(written.stdout), { event: 'listening', url: `unix:${socketPath}`, project: 'shop', services: [] });
  const source = closedWith(t, readerSource({ socketPath, clock: systemClock }));
  await until(() => /no running container/.test(source.trouble()?.problem ?? ''));
  await engine.stop();
  t.equal(await ended, 4);
  t.match(written.stdout + written.stderr, /LOG_ENGINE_UNREACHABLE/);
  const again = here(...words);
  t.equal(await again.ended, 4);
  t.match(again.written.stderr, /container engine at .* cannot be reached: it does not exist/);
});

t.test('what it needs is asked for, and what is no name is refused', async (t) => {
  const cases: [string[], RegExp][] = [
    [[], /FLAG_VALUE_MISSING.*--project/s],
    [['--project', 'shop'], /FLAG_VALUE_MISSING.*--socket/s],
    [['--project', 'Shop/../', '--socket', 's'], /LOG_PROJECT_INVALID/],
    [['--project', 'shop', '--socket', 's', '--engine', 'tcp://127.0.0.1:2375'], /LOG_ENGINE_INVALID/],
    [['--project', 'shop', '--socket', 's', '--engine', 'unix:'], /LOG_ENGINE_INVALID/],
  ];
  for (const [words, message] of cases) {
    const { written, ended } = here(...words, '--json');
    t.equal(await ended, 2);
    t.match(written.stdout + written.stderr, message);
  }
});

t.test('its help has an example', async (t) => {
  const { written, ended } = here('--help');
  t.equal(await ended, 0);
  t.match(written.stdout, /vp log-reader --project shop --socket/);
});
