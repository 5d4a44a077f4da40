/** Ctrl-C as the operating system sends it, to `vp run` as a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { getSourceVariables, sourceOptions } from '../../source-program.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

const entry = join(import.meta.dirname, '../../../bin/vp.ts');
/** Between two that count as two. */
const minIntervalMs = 400;
const minIntervalOfOthersMs = 5000;

/** Starts `vp` and collects its output. */
function startProcess(t: Test, folder: string, args: readonly string[], variables: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, HOME: folder, ...getSourceVariables(), ...variables };
  const child = spawn(process.execPath, [...sourceOptions, entry, ...args], {
    ...{ cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  t.teardown(() => child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (written.stdout += text));
  child.stderr.on('data', (text) => (written.stderr += text));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...written }));
  return { child, ended };
}

t.test('a local run is cancelled, the report files are written, and it exits 130', async (t) => {
  const { origin, arrived } = await startTarget(t, (request, response, arrival) => {
    if (arrival.url !== '/never') respondWithJson({})(request, response, arrival);
  });
  const { folder } = createWorkspace(t, origin, {
    'a.md': scenarioText('RT-a'),
    'b.md': scenarioText('RT-b', { path: '/never' }),
    'c.md': scenarioText('RT-c'),
  });
  const report = ['--report', 'junit=out/r.xml'];
  const { child, ended } = startProcess(t, folder, ['run', '--local', 'a.md', 'b.md', 'c.md', ...report]);
  await eventually(() => arrived.length === 2);
  child.kill('SIGINT');
  const { code, signal, stdout } = await ended;
  t.same({ code, signal }, { code: 130, signal: null });
  t.match(stdout, /✓ RT-a[\s\S]*RT-b {2}cancelled[\s\S]*RT-c .*not run[\s\S]*3 runs: /);
  t.match(readFileSync(join(folder, 'out/r.xml'), 'utf8'), /tests="3"/);
});

t.test('a second Ctrl-C exits at once while the first one still waits', async (t) => {
  const silent = await startTarget(t, (request, response, arrival) => {
    if (request.method === 'GET')
      respondWithJson({ items: [{ instance_id: 'shop', executor_status: 'AWAY' }], next_cursor: null })(
        request,
        response,
        arrival,
      );
  });
  const { folder } = createWorkspace(t, 'http://127.0.0.1:9');
  const variables = { VP_TOKEN: 'vpo_x', VP_CONTROL_PLANE: silent.origin };
  const { child, ended } = startProcess(t, folder, ['run', 'RT-a'], variables);
  await eventually(() => silent.arrived.some(({ method }) => method === 'POST'));
  // Two that arrive within 300 ms are one, so a third may be needed; not soon, because one that arrives while Node ends the process
  // kills it.
  let sentCount = 0;
  let dueMs = Number.NEGATIVE_INFINITY;
  await eventually(() => {
    if (performance.now() > dueMs) {
      child.kill('SIGINT');
      dueMs = performance.now() + (sentCount === 0 ? minIntervalMs : minIntervalOfOthersMs);
      sentCount += 1;
    }
    return child.exitCode !== null || child.signalCode !== null;
  });
  const { code, stdout } = await ended;
  t.equal(code, 130);
  t.equal(stdout, '', 'the first alone would wait for the run ids and report them');
});

t.test('a reader that closes early is not an error', async (t) => {
  const { origin } = await startTarget(t, respondWithJson({}));
  const { folder } = createWorkspace(t, origin, { 'a.md': scenarioText('RT-a') });
  const { child, ended } = startProcess(t, folder, ['run', '--local', 'a.md', 'a.md', '--repeat', '50', '--json']);
  child.stdout.destroy();
  const { code, stderr } = await ended;
  t.equal(code, 130);
  t.equal(stderr, '');
});
