/** The one file a person downloads, on a machine that has nothing else. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { version } from '../../src/environment/version.ts';
import { packed, packedFile } from './packed.ts';

t.test('it tells its version, without any variable set', async (t) => {
  t.same(packed(['--version']), { status: 0, signal: null, stdout: `vp ${version}\n`, stderr: '' });
  t.same(JSON.parse(packed(['--version', '--json']).stdout), { name: 'vp', version });
});

t.test('it helps', async (t) => {
  const { status, stdout, stderr } = packed(['--help']);
  t.equal(status, 0);
  t.equal(stderr, '');
  t.match(stdout, 'vp <command> [flags]');
  t.match(packed(['completion', '--help']).stdout, 'vp completion <shell> [flags]');
});

t.test('mistakes are told with their exit code', async (t) => {
  const { status, stderr } = packed(['compltion']);
  t.equal(status, 2);
  t.match(stderr, 'COMMAND_UNKNOWN');
  t.match(stderr, 'did you mean `completion`?');
});

t.test('NODE_OPTIONS of the shell is not its business', async (t) => {
  for (const options of ['--require /no/such/file.js', '--inspect', '--no-such-option']) {
    const { status, stdout, stderr } = packed(['--version'], { NODE_OPTIONS: options });
    t.same({ status, stdout, stderr }, { status: 0, stdout: `vp ${version}\n`, stderr: '' }, options);
  }
});

t.test('flags of Node are flags nobody knows', async (t) => {
  for (const flag of ['--inspect', '--eval', '--expose-gc']) {
    t.match(packed([flag]), { status: 2, stderr: /FLAG_UNKNOWN/ }, flag);
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
  t.equal(packed(['--version'], {}, folder).status, 0);
});

t.test('a reader who leaves early is no error to speak of', async (t) => {
  const child = spawn('sh', ['-c', `"${packedFile}" completion bash | true; echo done`], {
    env: { PATH: '/usr/bin:/bin' },
  });
  let told = '';
  child.stdout.on('data', (chunk) => {
    told += chunk;
  });
  child.stderr.on('data', (chunk) => {
    told += chunk;
  });
  await new Promise((resolve) => child.on('close', resolve));
  t.equal(told, 'done\n');
});
