/** Child processes that are written to while they run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type ChildProcess, startChildProcess } from '../../src/process/child-process.ts';
import { eventually } from '../eventually.ts';

function startScript(t: Test, script: string) {
  const state = { output: '', problem: undefined as string | undefined };
  const child: ChildProcess = startChildProcess(process.execPath, ['-e', script], {
    variables: {},
    onOutput: (chunk) => {
      state.output += chunk.toString('utf8');
    },
    onExit: (problem) => {
      state.problem = problem;
    },
  });
  t.teardown(() => child.stop());
  return { child, state };
}

t.test('what is written in one turn arrives in order', async (t) => {
  const { child, state } = startScript(t, 'process.stdin.pipe(process.stdout)');
  const texts = Array.from({ length: 100 }, (_, index) => `${index}\n`);
  for (const text of texts) t.ok(child.write(text));
  await eventually(() => state.output === texts.join(''));
});

t.test('large texts arrive completely, whatever the pipe holds', async (t) => {
  const count = 'let n = 0; process.stdin.on("data", (c) => { n += c.length; if (n === 3e6) console.log(n) })';
  const { child, state } = startScript(t, count);
  for (let index = 0; index < 3; index += 1) t.ok(child.write('x'.repeat(1_000_000)));
  await eventually(() => state.output === '3000000\n');
});

t.test('a process that does not read its input refuses more after a limit', async (t) => {
  const { child, state } = startScript(t, 'console.log("up"); setInterval(() => {}, 1000)');
  await eventually(() => state.output === 'up\n');
  const text = 'x'.repeat(8_000_000);
  const accepted = Array.from({ length: 8 }, () => child.write(text));
  t.equal(accepted[0], true);
  t.equal(accepted.at(-1), false);
});

t.test('output that is paused waits', async (t) => {
  const file = join(t.testdir(), 'written');
  const note = `() => require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`;
  const { child, state } = startScript(t, `process.stdin.on('data', (c) => process.stdout.write(c, ${note}))`);
  child.pauseOutput();
  t.ok(child.write('a'));
  await eventually(() => existsSync(file));
  t.equal(state.output, '');
  child.resumeOutput();
  await eventually(() => state.output === 'a');
});

t.test('an exited process takes nothing more', async (t) => {
  const { child, state } = startScript(t, 'process.exit(3)');
  await eventually(() => state.problem !== undefined);
  t.match(state.problem, 'exit code 3');
  t.equal(child.write('x'), false);
});
