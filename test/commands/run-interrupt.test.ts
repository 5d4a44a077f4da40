/** Ctrl-C as the operating system sends it, to `vp run` as a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { json } from '../targets/http-target.ts';
import { scenarioText, target, workspace } from './workspace.ts';

const entry = join(import.meta.dirname, '../../bin/vp.ts');

/** Starts `vp` and keeps what it writes. */
function started(t: Test, folder: string, args: readonly string[], variables: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, HOME: folder, ...variables };
  const child = spawn(process.execPath, [entry, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (written.stdout += text));
  child.stderr.on('data', (text) => (written.stderr += text));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...written }));
  return { child, ended };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleepFor(10);
}

t.test('a local run is cancelled, the report files are written, and it exits 130', async (t) => {
  const { origin, arrived } = await target(t, (request, response, one) => {
    if (one.url !== '/never') json({})(request, response, one);
  });
  const { folder } = workspace(t, origin, {
    'a.md': scenarioText('RT-a'),
    'b.md': scenarioText('RT-b', { path: '/never' }),
    'c.md': scenarioText('RT-c'),
  });
  const report = ['--report', 'junit=out/r.xml'];
  const { child, ended } = started(t, folder, ['run', '--local', 'a.md', 'b.md', 'c.md', ...report]);
  await until(() => arrived.length === 2);
  child.kill('SIGINT');
  const { code, signal, stdout } = await ended;
  t.same({ code, signal }, { code: 130, signal: null });
  t.match(stdout, /✓ RT-a[\s\S]*RT-b {2}cancelled[\s\S]*RT-c .*not run[\s\S]*3 runs: /);
  t.match(readFileSync(join(folder, 'out/r.xml'), 'utf8'), /tests="3"/);
});

t.test('a second Ctrl-C ends at once what the first still waits for', async (t) => {
  const silent = await target(t, (request, response, one) => {
    if (request.method === 'GET')
      json({ items: [{ instance_id: 'shop', executor_status: 'AWAY' }], next_cursor: null })(request, response, one);
  });
  const { folder } = workspace(t, 'http://127.0.0.1:9');
  const variables = { VP_TOKEN: 'vpo_x', VP_CONTROL_PLANE: silent.origin };
  const { child, ended } = started(t, folder, ['run', 'RT-a'], variables);
  await until(() => silent.arrived.some(({ method }) => method === 'POST'));
  const startMs = performance.now();
  child.kill('SIGINT');
  await sleepFor(400);
  child.kill('SIGINT');
  const { code } = await ended;
  t.equal(code, 130);
  t.ok(performance.now() - startMs < 1900, 'the first alone waits two seconds for the run ids');
});

t.test('a reader that goes away early is no error', async (t) => {
  const { origin } = await target(t, json({}));
  const { folder } = workspace(t, origin, { 'a.md': scenarioText('RT-a') });
  const { child, ended } = started(t, folder, ['run', '--local', 'a.md', 'a.md', '--repeat', '50', '--json']);
  child.stdout.destroy();
  const { code, stderr } = await ended;
  t.equal(code, 130);
  t.equal(stderr, '');
});
