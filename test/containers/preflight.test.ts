/** What is in the way on a machine with a real engine, found and named; and the kit, written by the image. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { removeProject, startProject } from '../../src/containers/compose-project.ts';
import { openEngine } from '../../src/containers/engine.ts';
import { version } from '../../src/environment/version.ts';
import type { Checked } from '../../src/onboarding/preflight/check.ts';
import { workspace } from '../commands/workspace.ts';

const place = { variables: process.env, platform: process.platform };
const debian = 'debian:bookworm-slim';
const image = `vp:v${version}-slim`;

/** `vp preflight --json` as this user has it, and its checks by id. */
async function looked(t: Test, args: readonly string[] = []) {
  const { vp } = workspace(t, 'http://127.0.0.1:1', {
    'shop/platform-config.yaml': `project: {name: shop}\ntargets: {http: {base_url: "http://app:80"}}\ndeploy: {compose_project: vp-test-preflight, network: vp-test-preflight_default}\n`,
  });
  const variables = { PATH: process.env.PATH ?? '' };
  const { code, stdout } = await vp(['preflight', '--json', ...args], { variables });
  const checks: readonly Checked[] = JSON.parse(stdout).checks;
  return { code, checks: new Map(checks.map((checked) => [checked.id, checked])), vp, variables };
}

/** A process that listens on `port` until the test ends. */
async function held(t: Test, port: number): Promise<number | undefined> {
  const code = `require('node:net').createServer().listen(${port}, '127.0.0.1', () => console.log('listening'))`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill());
  await once(child.stdout, 'data');
  return child.pid;
}

function docker(...words: string[]): string {
  return execFileSync('docker', words, { encoding: 'utf8' }).trim();
}

/** A container started by hand, gone when the test ends. */
function started(t: Test, name: string, ...words: string[]): void {
  const remove = (): unknown => spawnSync('docker', ['rm', '--force', '--volumes', name]);
  remove();
  t.teardown(remove);
  docker('run', '--detach', '--pull', 'never', '--name', name, ...words, debian, 'sleep', '600');
}

t.test('a machine on which nothing is in the way', async (t) => {
  const { code, checks, vp, variables } = await looked(t);
  t.equal(code, 0, JSON.stringify([...checks.values()].filter(({ outcome }) => outcome !== 'ok')));
  t.match(checks.get('runtime'), { outcome: 'ok', facts: [/^docker \d/, /^compose 2/] });
  t.match(checks.get('disk'), { outcome: 'ok', facts: [/free at \//, /free at \//] });
  const text = await vp(['preflight', '--kube-context', 'minikube'], { variables });
  t.match(text, { code: 0, stdout: /^✓ container engine and compose: docker[\s\S]*in the cluster minikube\nready/ });
});

t.test('ports held by a process and by a container, and a router started by hand: all are told at once', async (t) => {
  const pid = await held(t, 3000);
  started(t, 'vp-test-metrics', '--publish', '127.0.0.1:9095:80');
  started(t, 'platform-router', '--publish', '127.0.0.1:9765:80');
  const { code, checks, vp, variables } = await looked(t);
  t.equal(code, 3);
  const messages = (id: string) => checks.get(id)?.problems.map(({ code, message }) => `${code} ${message}`);
  t.match(messages('dashboard_port'), [
    new RegExp(`^PORT_TAKEN port 3000, .* process \\S+ \\(pid ${pid}\\) of user \\w+`),
  ]);
  t.match(messages('metrics_port'), [/^PORT_TAKEN port 9095, .* is held by container vp-test-metrics$/]);
  t.match(messages('router_port'), [
    /^ROUTER_PORT_TAKEN another process answers on port 9765: container platform-router; .*`unrecognized router token`/,
  ]);
  t.match(messages('router_name'), [/^ROUTER_NAME_TAKEN .* was started by hand, from the image debian:bookworm-slim/]);
  t.match(checks.get('router_name')?.problems[0]?.cure, /docker rm --force platform-router/);
  const text = await vp(['preflight'], { variables });
  t.match(text, {
    code: 3,
    stdout: /✕ port 3000[\s\S]*cure:[\s\S]*✕ port 9095[\s\S]*not ready: 4 problems; nothing was changed\n$/,
  });
});

t.test('the target holds its own port, which is right', async (t) => {
  const engine = await openEngine(place);
  const project = { name: 'vp-test-preflight', folder: mkdtempSync(join(tmpdir(), 'vp-preflight-')) };
  t.teardown(async () => {
    await removeProject(engine, project, { volumes: true });
    rmSync(project.folder, { recursive: true });
  });
  writeFileSync(
    join(project.folder, 'compose.yaml'),
    `services: {app: {image: '${debian}', init: true, command: [sleep, '600'], ports: ['127.0.0.1:23472:80']}}\n`,
  );
  const look = async () => (await looked(t, ['--product-dir', 'shop'])).checks.get('target_port');
  t.match(await look(), { outcome: 'problem', problems: [{ code: 'TARGET_ABSENT' }] });
  await startProject(engine, project);
  t.match(await look(), { outcome: 'ok', facts: ['23472 held by vp-test-preflight-app-1, as it should'] });
  docker('stop', '--time', '1', 'vp-test-preflight-app-1');
  await held(t, 23_472);
  t.match(await look(), { outcome: 'problem', problems: [{ code: 'PORT_TAKEN', message: /port 23472/ }] });
});

/** `docker run … init` as the README has it, into a folder of `owner`. */
function init(t: Test, words: readonly string[], owner = 1000, more: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'vp-kit-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const out = join(folder, 'kit');
  mkdirSync(out);
  chownSync(out, owner, owner);
  const all = [
    'run',
    '--rm',
    '--pull',
    'never',
    '--read-only',
    ...words,
    '--volume',
    `${out}:/out`,
    image,
    'init',
    ...more,
  ];
  const { status, stdout, stderr } = spawnSync('docker', all, { encoding: 'utf8' });
  return { out, end: { status, stdout, stderr } };
}

t.test('the image writes a kit into a folder of the user, with the program', async (t) => {
  const { out, end } = init(t, ['--user', '1000:1000']);
  t.match(end, { status: 0, stdout: /^kit \S+ in \/out\n[\s\S]*created\s+bin\/vp\n/, stderr: '' });
  t.same(readdirSync(out).sort(), ['.gitignore', 'README.md', 'bin', 'compose', 'kit.json', 'onboarding']);
  t.match(statSync(join(out, 'bin/vp')), { uid: 1000, mode: 0o100755 });
  t.equal(execFileSync(join(out, 'bin/vp'), ['--version'], { encoding: 'utf8' }), `vp ${version}\n`);
  const words = [join(out, 'onboarding/onboard.sh'), '--help'];
  const { stdout, stderr } = spawnSync('bash', words, { encoding: 'utf8' });
  t.match(stdout + stderr, /vp onboard/, 'the program has the word now');
});

t.test('a kit for another system has no program', async (t) => {
  const { out, end } = init(t, ['--user', '1000:1000'], 1000, ['--platform', 'darwin-arm64']);
  t.match(end, { status: 0, stdout: /no program is in it/ });
  t.notOk(existsSync(join(out, 'bin')));
});

t.test('the image’s own user may not write there, and says how it may', async (t) => {
  const { out, end } = init(t, []);
  t.match(end, { status: 4, stderr: /\/out cannot be written by user 10001 \(EACCES\) \(KIT_FOLDER_UNWRITABLE\)/ });
  t.match(end.stderr, /--user "\$\(id -u\):\$\(id -g\)"/);
  t.same(readdirSync(out), []);
});

t.test('nothing is mounted at /out', async (t) => {
  const { status, stderr } = spawnSync('docker', ['run', '--rm', '--pull', 'never', image, 'init'], {
    encoding: 'utf8',
  });
  t.match({ status, stderr }, { status: 2, stderr: /KIT_FOLDER_INSIDE/ });
});

t.test('the scripts pass shellcheck', async (t) => {
  const { status, stdout, error } = spawnSync(
    'shellcheck',
    ['kit/onboarding/onboard.sh', 'kit/onboarding/teardown.sh'],
    {
      encoding: 'utf8',
    },
  );
  t.equal(error, undefined, 'it is installed (package shellcheck)');
  t.match({ status, stdout }, { status: 0, stdout: '' });
});
