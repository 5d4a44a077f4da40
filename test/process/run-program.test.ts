import t from 'tap';
import { type ProgramOptions, runProgram } from '../../src/process/run-program.ts';

const options: ProgramOptions = { variables: { PATH: process.env.PATH, WORD: 'a word' }, timeoutMs: 20_000 };
const node = process.execPath;

t.test('output and exit code come back as they are', async (t) => {
  const code = 'console.log(process.env.WORD, process.argv[1]); console.error("e"); process.exitCode = 3';
  const end = await runProgram(node, ['-e', code, '$HOME; *'], options);
  t.match(end, { kind: 'exited', exitCode: 3, stdout: 'a word $HOME; *\n', stderr: 'e\n' });
});

t.test('only the given variables reach it', async (t) => {
  const end = await runProgram(node, ['-e', 'console.log(process.env.HOME)'], options);
  t.equal(end.stdout, 'undefined\n');
});

t.test('what is given on standard input arrives, and nothing else does', async (t) => {
  const echo = 'process.stdin.pipe(process.stdout)';
  t.equal((await runProgram(node, ['-e', echo], { ...options, input: 'line\n' })).stdout, 'line\n');
  t.equal((await runProgram(node, ['-e', echo], options)).stdout, '');
});

t.test('lines are told as they come', async (t) => {
  const lines: string[] = [];
  const end = await runProgram(node, ['-e', 'console.log("one\\ntwo"); console.error("three")'], {
    ...options,
    onLine: (line) => lines.push(line),
  });
  t.same(lines.sort(), ['one', 'three', 'two']);
  t.equal(end.stdout.trimEnd(), 'one\ntwo');
});

t.test('a program that is not there', async (t) => {
  t.match(await runProgram('vp-no-such-program', [], options), { kind: 'absent', exitCode: undefined });
  t.match(await runProgram('/etc', [], options), { kind: 'absent' });
});

t.test('a program that takes too long is ended', async (t) => {
  const end = await runProgram(node, ['-e', 'setInterval(() => {}, 1000)'], { ...options, timeoutMs: 300 });
  t.equal(end.kind, 'timed_out');
});

t.test('a program whose caller gives up is ended', async (t) => {
  const giveUp = new AbortController();
  const running = runProgram(node, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], {
    ...options,
    signal: giveUp.signal,
    onLine: () => giveUp.abort(),
  });
  t.match(await running, { kind: 'cancelled' });
});

t.test('a program that never stops talking is ended', async (t) => {
  const flood = 'const text = "x".repeat(1e6) + "\\n"; (function more() { process.stdout.write(text, more); })()';
  t.equal((await runProgram(node, ['-e', flood], options)).kind, 'flooded');
});

t.test('a program that somebody else ends', async (t) => {
  const end = await runProgram(node, ['-e', 'process.kill(process.pid, "SIGKILL")'], options);
  t.equal(end.kind, 'killed');
});
