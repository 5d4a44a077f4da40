import { execPath } from 'node:process';
import t from 'tap';
import { Processes } from './processes.ts';

t.test('a process that has ended gets no signal, because its number may belong to another one', async (t) => {
  const processes = new Processes();
  const start = (script: string) => processes.start(execPath, ['-e', script], { cwd: t.testdir(), variables: {} });
  const ended = start('');
  await ended.ended;
  const running = start('console.log("ready"); setInterval(() => {}, 1000)');
  await running.waitForOutput(/ready/);
  const kill = t.capture(process, 'kill', process.kill.bind(process));
  t.same(await processes.clear(), []);
  t.same(new Set(kill().map(({ args }) => args[0])), new Set([-running.pid]));
});

t.test('a process that reaches its lifetime is killed, and its output says so', async (t) => {
  const processes = new Processes();
  const script = 'setInterval(() => {}, 1000)';
  const running = processes.start(execPath, ['-e', script], { cwd: t.testdir(), variables: {}, lifetimeMs: 500 });
  t.match(await running.ended, { signal: 'SIGKILL', stderr: /killed by its test, because it ran for 0\.5 s/ });
});
