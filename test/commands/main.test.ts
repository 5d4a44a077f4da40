import t from 'tap';
import { main } from '../../src/commands/main.ts';
import { version } from '../../src/environment/version.ts';
import { exitCode } from '../../src/errors/exit-code.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';

async function run(line: string, variables: Record<string, string> = {}) {
  const { environment, written, listeners } = memoryEnvironment({ args: line.split(' ').filter(Boolean), variables });
  const code = await main(environment);
  return { code, ...written, listeners: listeners.size };
}

t.test('the version is printed as a line or as JSON', async (t) => {
  t.same(await run('--version'), { code: 0, stdout: `vp ${version}\n`, stderr: '', listeners: 0 });
  for (const line of ['--version --json', '--json --version']) {
    t.same(JSON.parse((await run(line)).stdout), { name: 'vp', version });
  }
});

t.test('a command gets its arguments and its exit code is returned', async (t) => {
  const { code, stdout, listeners } = await run('completion bash');
  t.equal(code, exitCode.done);
  t.match(stdout, 'complete -F _vp vp');
  t.equal(listeners, 0, 'no interrupt listener is left');
});

t.test('help can be requested in several ways', async (t) => {
  const help = (await run('completion --help')).stdout;
  t.match(help, 'vp completion <shell> [flags]');
  for (const line of ['completion -h', 'help completion', '--help completion', 'completion fish --nonsense --help']) {
    t.equal((await run(line)).stdout, help, line);
  }
  const all = await run('--help');
  t.equal(all.code, exitCode.done);
  t.match(all.stdout, /completion +print a script/);
  t.equal((await run('help')).stdout, all.stdout);
});

t.test('with --json help and completion scripts are JSON documents', async (t) => {
  for (const line of ['--help', 'run --help', 'scenarios --help', 'completion bash', 'runs show -h']) {
    const plain = await run(line);
    const { code, stdout, stderr } = await run(`${line} --json`);
    t.same({ code, stderr }, { code: 0, stderr: '' });
    const name = line === 'completion bash' ? 'script' : 'help';
    t.same(JSON.parse(stdout), { [name]: plain.stdout }, line);
  }
  t.match(JSON.parse((await run('--help', { VP_JSON: '1' })).stdout), { help: /vp <command>/ });
});

t.test('without arguments all commands are listed on standard error, and the exit code is 2', async (t) => {
  const { code, stdout, stderr } = await run('');
  t.equal(code, exitCode.invalidInput);
  t.equal(stdout, '');
  t.match(stderr, 'vp <command> [flags]');
});

t.test('an error is printed once, with its message, code and fix', async (t) => {
  t.same(await run('compltion'), {
    code: exitCode.invalidInput,
    stdout: '',
    stderr:
      'vp: there is no command `vp compltion` (COMMAND_UNKNOWN)\n    did you mean `completion`? see `vp --help` for the commands\n',
    listeners: 0,
  });
});

t.test('with --json or VP_JSON an error is a JSON document on standard output', async (t) => {
  for (const [line, variables] of [
    ['compltion --json', {}],
    ['compltion', { VP_JSON: 'true' }],
  ] as const) {
    const { code, stdout, stderr } = await run(line, variables);
    t.equal(code, exitCode.invalidInput);
    t.equal(stderr, '');
    t.match(JSON.parse(stdout), { error: { code: 'COMMAND_UNKNOWN', exit_code: 2, cure: /completion/ } });
  }
  t.match(JSON.parse((await run('--json')).stdout), { error: { code: 'COMMAND_INCOMPLETE' } });
});

t.test('--json after -- is an argument', async (t) => {
  const { stdout, stderr } = await run('compltion -- --json');
  t.equal(stdout, '');
  t.match(stderr, 'COMMAND_UNKNOWN');
});
