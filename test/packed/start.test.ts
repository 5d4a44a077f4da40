/** The downloaded binary, on a machine without anything else. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { version } from '../../src/environment/version.ts';
import { packedFile, runPacked } from './packed.ts';

t.test('it prints its version, without any variable set', async (t) => {
  t.same(runPacked(['--version']), { status: 0, signal: null, stdout: `vp ${version}\n`, stderr: '' });
  t.same(JSON.parse(runPacked(['--version', '--json']).stdout), { name: 'vp', version });
});

t.test('it prints help', async (t) => {
  const { status, stdout, stderr } = runPacked(['--help']);
  t.equal(status, 0);
  t.equal(stderr, '');
  t.match(stdout, 'vp <command> [flags]');
  t.match(runPacked(['completion', '--help']).stdout, 'vp completion <shell> [flags]');
});

t.test('errors are reported with their exit code', async (t) => {
  const { status, stderr } = runPacked(['compltion']);
  t.equal(status, 2);
  t.match(stderr, 'COMMAND_UNKNOWN');
  t.match(stderr, 'did you mean `completion`?');
});

t.test('`vp run`, which is packed apart from the other commands, knows their flags', async (t) => {
  const [run, prove] = ['run', 'prove'].map((command) =>
    runPacked([command, 'RT-x', '--control-plane', 'http://127.0.0.1:9']),
  );
  t.match(run, { status: 4, stderr: /CONTROL_PLANE_UNREACHABLE/ });
  t.match(run?.stderr, '`vp serve --port 9`', 'the flags of another command complete the fix');
  t.equal(run?.stderr, prove?.stderr, 'as where all commands are packed together');
  t.match(runPacked(['run', '--help']).stdout, 'vp run [scenario]… [flags]');
});

t.test('a command of another part of the program is taken from there', async (t) => {
  const words = ['serve', 'executor', 'run', 'prove', 'runs'];
  for (const word of words) {
    const { status, stdout, stderr } = runPacked([word, '--help']);
    t.match({ status, stderr }, { status: 0, stderr: '' }, word);
    t.match(stdout, `vp ${word} `, word);
    t.equal(runPacked(['help', word]).stdout, stdout, `help ${word}, which starts in the part of \`help\``);
  }
});

t.test('common flags before a command of another part change nothing but themselves', async (t) => {
  const folder = t.testdir();
  // Of each part, one that ends with an error of its own.
  const lines = [
    ['executor'],
    ['run', '--local'],
    ['restore', 'no-such.db'],
    ['runs', '--control-plane', 'http://127.0.0.1:9'],
  ];
  for (const line of lines) {
    const behind = runPacked([...line, '--json'], {}, folder);
    t.notMatch(behind.stdout + behind.stderr, 'INTERNAL', line.join(' '));
    for (const flags of [['--json'], ['--log-level', 'error', '--json'], ['--log-level=warn', '--json']]) {
      const { status, stdout } = runPacked([...flags, ...line], {}, folder);
      t.same({ status, stdout }, { status: behind.status, stdout: behind.stdout }, [...flags, ...line].join(' '));
    }
  }
});

t.test('NODE_OPTIONS is ignored', async (t) => {
  for (const options of ['--require /no/such/file.js', '--inspect', '--no-such-option']) {
    const { status, stdout, stderr } = runPacked(['--version'], { NODE_OPTIONS: options });
    t.same({ status, stdout, stderr }, { status: 0, stdout: `vp ${version}\n`, stderr: '' }, options);
  }
});

t.test('flags of Node are unknown flags', async (t) => {
  for (const flag of ['--inspect', '--eval', '--expose-gc']) {
    t.match(runPacked([flag]), { status: 2, stderr: /FLAG_UNKNOWN/ }, flag);
  }
});

t.test('it starts from any folder, through a link and with no program on PATH', async (t) => {
  const folder = t.testdir({ link: t.fixture('symlink', packedFile) });
  const { status, stdout } = spawnSync(join(folder, 'link'), ['--version'], {
    cwd: '/',
    env: { PATH: folder },
    encoding: 'utf8',
  });
  t.same({ status, stdout }, { status: 0, stdout: `vp ${version}\n` });
});

t.test('files beside it are not loaded', async (t) => {
  const folder = t.testdir({ 'package.json': '{"type": "module", "main": "x.js"}', 'x.js': 'throw 1' });
  writeFileSync(join(folder, '.env'), 'VP_JSON=nonsense');
  t.equal(runPacked(['--version'], {}, folder).status, 0);
});

t.test('a reader that closes early causes no error message', async (t) => {
  const child = spawn('sh', ['-c', `"${packedFile}" completion bash | true; echo done`], {
    env: { PATH: '/usr/bin:/bin' },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  await new Promise((resolve) => child.on('close', resolve));
  t.equal(output, 'done\n');
});
