import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { main } from '../../../src/commands/main.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { openReaderSource } from '../../../src/logs/sources/reader-source.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { eventually } from '../../eventually.ts';
import { closeAfterTest, createLogFolder, waitForLines } from '../log-folder.ts';
import { startFakeEngine } from './fake-engine.ts';

type Test = Parameters<typeof createLogFolder>[0];

/** Starts `vp log-reader` with these arguments. */
function vp(t: Test, ...cliArgs: string[]) {
  const args = ['--import', './test/tsx-hook.mjs', 'bin/vp.ts', 'log-reader', ...cliArgs];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => {
    output.stdout += text;
  });
  child.stderr?.on('data', (text) => {
    output.stderr += text;
  });
  return { child, written: output, exitCode: once(child, 'close').then(([code]) => Number(code)) };
}

/** Runs it in this process. */
function runInProcess(...cliArgs: string[]) {
  const { environment, written: output, interrupt } = memoryEnvironment({ args: ['log-reader', ...cliArgs] });
  return { written: output, interrupt, exitCode: main(environment) };
}

t.test('it prints where it listens, serves, and ends cleanly with SIGTERM', async (t) => {
  const engine = await startFakeEngine(t);
  const app = engine.add('app');
  const socketPath = join(createLogFolder(t), 'r.sock');
  const {
    child,
    written: output,
    exitCode,
  } = vp(t, '--project', 'shop', '--socket', socketPath, '--engine', engine.socketPath);
  t.ok(await eventually(() => output.stdout.includes('vp executor --log')));
  t.match(output.stdout, `project    shop (app)`);
  t.match(output.stdout, `vp executor --log unix:${socketPath}`);
  const source = closeAfterTest(t, openReaderSource({ socketPath, clock: systemClock }));
  await source.ready(5000);
  const watch = source.watch('tr-1');
  engine.write(app, 'GET / tr-1');
  t.strictSame(await waitForLines(watch, 1), ['GET / tr-1']);
  child.kill('SIGTERM');
  t.equal(await exitCode, 0);
  t.notOk(existsSync(socketPath));
  for (const line of output.stderr.trim().split('\n')) t.match(JSON.parse(line), { role: 'log-reader', msg: /client/ });
  t.strictSame(engine.trespasses(), []);
});

t.test('it exits with 4 when the engine is unreachable or stops', async (t) => {
  const engine = await startFakeEngine(t);
  const socketPath = join(createLogFolder(t), 'r.sock');
  const cliArgs = ['--project', 'shop', '--socket', socketPath, '--engine', `unix://${engine.socketPath}`];
  const { written: output, exitCode } = runInProcess(...cliArgs, '--json');
  t.ok(await eventually(() => output.stdout.includes('\n')));
  t.match(JSON.parse(output.stdout), { event: 'listening', url: `unix:${socketPath}`, project: 'shop', services: [] });
  const source = closeAfterTest(t, openReaderSource({ socketPath, clock: systemClock }));
  await eventually(() => /no running container/.test(source.getProblem()?.problem ?? ''));
  await engine.stop();
  t.equal(await exitCode, 4);
  t.match(output.stdout + output.stderr, /LOG_ENGINE_UNREACHABLE/);
  const again = runInProcess(...cliArgs);
  t.equal(await again.exitCode, 4);
  t.match(again.written.stderr, /container engine at .* cannot be reached: it does not exist/);
});

t.test('required flags are demanded, and invalid names are refused', async (t) => {
  const cases: [string[], RegExp][] = [
    [[], /FLAG_VALUE_MISSING.*--project/s],
    [['--project', 'shop'], /FLAG_VALUE_MISSING.*--socket/s],
    [['--project', 'Shop/../', '--socket', 's'], /LOG_PROJECT_INVALID/],
    [['--project', 'shop', '--socket', 's', '--engine', 'tcp://127.0.0.1:2375'], /LOG_ENGINE_INVALID/],
    [['--project', 'shop', '--socket', 's', '--engine', 'unix:'], /LOG_ENGINE_INVALID/],
  ];
  for (const [cliArgs, message] of cases) {
    const { written: output, exitCode } = runInProcess(...cliArgs, '--json');
    t.equal(await exitCode, 2);
    t.match(output.stdout + output.stderr, message);
  }
});

t.test('its help has an example', async (t) => {
  const { written: output, exitCode } = runInProcess('--help');
  t.equal(await exitCode, 0);
  t.match(output.stdout, /vp log-reader --project shop --socket/);
});
