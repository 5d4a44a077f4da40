/** Preflight on a machine with a real engine; and the kit, written by the image. */
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
import { removeComposeProject, startComposeProject } from '../../src/containers/compose-project.ts';
import { openEngine } from '../../src/containers/engine.ts';
import { version } from '../../src/environment/version.ts';
import type { SetupCheckResult } from '../../src/onboarding/checks/setup-check.ts';
import { createWorkspace } from '../commands/test-workspace.ts';

const environment = { variables: process.env, platform: process.platform };
const debian = 'debian:bookworm-slim';
const image = `vp:v${version}-slim`;

/** Runs `vp preflight --json` as this user; returns its checks by id. */
async function runPreflight(t: Test, args: readonly string[] = []) {
  const { vp } = createWorkspace(t, 'http://127.0.0.1:1', {
    'shop/platform-config.yaml': `project: {name: shop}\ntargets: {http: {base_url: "http://app:80"}}\ndeploy: {compose_project: vp-test-preflight, network: vp-test-preflight_default}\n`,
  });
  const variables = { PATH: process.env.PATH ?? '' };
  const { code, stdout } = await vp(['preflight', '--json', ...args], { variables });
  const checks: readonly SetupCheckResult[] = JSON.parse(stdout).checks;
  return { code, checks: new Map(checks.map((checked) => [checked.id, checked])), vp, variables };
}

/** A process that listens on `port` until the test ends. */
async function occupyPort(t: Test, port: number): Promise<number | undefined> {
  const code = `require('node:net').createServer().listen(${port}, '127.0.0.1', () => console.log('listening'))`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill());
  await once(child.stdout, 'data');
  return child.pid;
}

function docker(...args: string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8' }).trim();
}

/** A container started by hand, until the test ends. */
function startContainer(t: Test, name: string, ...args: string[]): void {
  const remove = (): unknown => spawnSync('docker', ['rm', '--force', '--volumes', name]);
  remove();
  t.teardown(remove);
  docker('run', '--detach', '--pull', 'never', '--name', name, ...args, debian, 'sleep', '600');
}

t.test('a machine without problems', async (t) => {
  const { code, checks, vp, variables } = await runPreflight(t);
  t.equal(code, 0, JSON.stringify([...checks.values()].filter(({ outcome }) => outcome !== 'ok')));
  t.match(checks.get('runtime'), { outcome: 'ok', facts: [/^docker \d/, /^compose 2/] });
  t.match(checks.get('disk'), { outcome: 'ok', facts: [/free at \//, /free at \//] });
  const text = await vp(['preflight', '--kube-context', 'minikube'], { variables });
  t.match(text, {
    code: 0,
    stdout:
      /^✓ container engine and compose: docker[\s\S]*the cluster minikube was not checked\nready; \d checks were not made\n$/,
  });
});

t.test('ports held by a process and a container, and a router started by hand, are reported at once', async (t) => {
  const pid = await occupyPort(t, 3000);
  startContainer(t, 'vp-test-metrics', '--publish', '127.0.0.1:9095:80');
  startContainer(t, 'platform-router', '--publish', '127.0.0.1:9765:80');
  const { code, checks, vp, variables } = await runPreflight(t);
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
    stdout: /✕ port 3000[\s\S]*fix:[\s\S]*✕ port 9095[\s\S]*not ready: 4 problems; nothing was changed\n$/,
  });
});

t.test('a port held by its own target is no problem', async (t) => {
  const engine = await openEngine(environment);
  const project = { name: 'vp-test-preflight', folder: mkdtempSync(join(tmpdir(), 'vp-preflight-')) };
  t.teardown(async () => {
    await removeComposeProject(engine, project, { volumes: true });
    rmSync(project.folder, { recursive: true });
  });
  writeFileSync(
    join(project.folder, 'compose.yaml'),
    `services: {app: {image: '${debian}', init: true, command: [sleep, '600'], ports: ['127.0.0.1:23472:80']}}\n`,
  );
  const inspectTargetPort = async () => (await runPreflight(t, ['--product-dir', 'shop'])).checks.get('target_port');
  t.match(await inspectTargetPort(), { outcome: 'problem', problems: [{ code: 'TARGET_ABSENT' }] });
  await startComposeProject(engine, project);
  t.match(await inspectTargetPort(), { outcome: 'ok', facts: ['23472 held by vp-test-preflight-app-1, as expected'] });
  docker('stop', '--time', '1', 'vp-test-preflight-app-1');
  await occupyPort(t, 23_472);
  t.match(await inspectTargetPort(), { outcome: 'problem', problems: [{ code: 'PORT_TAKEN', message: /port 23472/ }] });
});

/** `docker run … init` as in the README, into a folder of `owner`. */
function runInit(t: Test, args: readonly string[], owner = 1000, more: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'vp-kit-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const out = join(folder, 'kit');
  mkdirSync(out);
  chownSync(out, owner, owner);
  const dockerArgs = [
    'run',
    '--rm',
    '--pull',
    'never',
    '--read-only',
    ...args,
    '--volume',
    `${out}:/out`,
    image,
    'init',
    ...more,
  ];
  const { status, stdout, stderr } = spawnSync('docker', dockerArgs, { encoding: 'utf8' });
  return { out, end: { status, stdout, stderr } };
}

t.test('the image writes a kit with the binary into a folder of the user', async (t) => {
  const { out, end: result } = runInit(t, ['--user', '1000:1000']);
  t.match(result, { status: 0, stdout: /^kit \S+ in \/out\n[\s\S]*created\s+bin\/vp\n/, stderr: '' });
  t.same(readdirSync(out).sort(), ['.gitignore', 'README.md', 'bin', 'compose', 'kit.json', 'onboarding']);
  t.match(statSync(join(out, 'bin/vp')), { uid: 1000, mode: 0o100755 });
  t.equal(execFileSync(join(out, 'bin/vp'), ['--version'], { encoding: 'utf8' }), `vp ${version}\n`);
  const args = [join(out, 'onboarding/onboard.sh'), '--help'];
  const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
  t.match(stdout + stderr, /vp onboard/, 'the program has the word now');
});

t.test('a kit for another system has no binary', async (t) => {
  const { out, end: result } = runInit(t, ['--user', '1000:1000'], 1000, ['--platform', 'darwin-arm64']);
  t.match(result, { status: 0, stdout: /the kit has no vp binary/ });
  t.notOk(existsSync(join(out, 'bin')));
});

t.test('an unwritable folder is reported with the option that fixes it', async (t) => {
  const { out, end: result } = runInit(t, []);
  t.match(result, { status: 4, stderr: /\/out cannot be written by user 10001 \(EACCES, KIT_FOLDER_UNWRITABLE\)/ });
  t.match(result.stderr, /--user "\$\(id -u\):\$\(id -g\)"/);
  t.same(readdirSync(out), []);
});

t.test('a missing mount at /out is reported', async (t) => {
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
