import t from 'tap';
import { type ProcessOptions, runProcess } from '../../src/process/run-process.ts';

const options: ProcessOptions = { variables: { PATH: process.env.PATH, WORD: 'a word' }, timeoutMs: 20_000 };
const node = process.execPath;

t.test('output and exit code are returned unchanged', async (t) => {
  const code = 'console.log(process.env.WORD, process.argv[1]); console.error("e"); process.exitCode = 3';
  const result = await runProcess(node, ['-e', code, '$HOME; *'], options);
  t.match(result, { kind: 'exited', exitCode: 3, stdout: 'a word $HOME; *\n', stderr: 'e\n' });
});

t.test('only the given variables are passed', async (t) => {
  const result = await runProcess(node, ['-e', 'console.log(process.env.HOME)'], options);
  t.equal(result.stdout, 'undefined\n');
});

t.test('standard input is passed, and empty by default', async (t) => {
  const echo = 'process.stdin.pipe(process.stdout)';
  t.equal((await runProcess(node, ['-e', echo], { ...options, input: 'line\n' })).stdout, 'line\n');
  t.equal((await runProcess(node, ['-e', echo], options)).stdout, '');
});

t.test('lines are reported as they arrive', async (t) => {
  const lines: string[] = [];
  const result = await runProcess(node, ['-e', 'console.log("one\\ntwo"); console.error("three")'], {
    ...options,
    onLine: (line) => lines.push(line),
  });
  t.same(lines.sort(), ['one', 'three', 'two']);
  t.equal(result.stdout.trimEnd(), 'one\ntwo');
});

t.test('a command that does not exist is reported as absent', async (t) => {
  t.match(await runProcess('vp-no-such-program', [], options), { kind: 'absent', exitCode: undefined });
  t.match(await runProcess('/etc', [], options), { kind: 'absent' });
});

t.test('a command that takes too long is killed', async (t) => {
  const result = await runProcess(node, ['-e', 'setInterval(() => {}, 1000)'], { ...options, timeoutMs: 300 });
  t.equal(result.kind, 'timed_out');
});

t.test('a command is killed when its signal aborts', async (t) => {
  const controller = new AbortController();
  const running = runProcess(node, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], {
    ...options,
    signal: controller.signal,
    onLine: () => controller.abort(),
  });
  t.match(await running, { kind: 'cancelled' });
});

t.test('a command with too much output is killed', async (t) => {
  const flood = 'const text = "x".repeat(1e6) + "\\n"; (function more() { process.stdout.write(text, more); })()';
  t.equal((await runProcess(node, ['-e', flood], options)).kind, 'flooded');
});

t.test('a command that another process kills', async (t) => {
  const result = await runProcess(node, ['-e', 'process.kill(process.pid, "SIGKILL")'], options);
  t.equal(result.kind, 'killed');
});
