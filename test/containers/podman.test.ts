/** Rootless podman of Debian 13, in a machine of its own: an application is onboarded, used, repaired and torn down. */
import { resolve } from 'node:path';
import t from 'tap';
import { eventually } from '../eventually.ts';
import { copyImages, type PodmanMachine, podmanSocket, podmanVariables, startPodmanMachine } from './podman-machine.ts';
import { createTestMachine, image } from './test-machine.ts';

const instance = 'vp-test-podman';
const port = 23_793;
const controlPlane = ['--control-plane', `http://127.0.0.1:${port}`];
const program = '/mnt/dist/vp';
let podman: PodmanMachine;
const machine = createTestMachine({
  ...{ name: instance, appPort: 23_794, engine: 'podman', variables: podmanVariables },
  enter: () => podman.enter,
});
const vp = (...args: readonly string[]) => machine.call(program, args);
const containerOf = (role: string): string => `platform-inst-${instance}-${role}-1`;

type Problem = { readonly code: string; readonly message: string };

/** What doctor says of the containers of the instance. */
async function examine(...args: readonly string[]): Promise<readonly Problem[]> {
  const { stdout, stderr } = await vp('doctor', '--json', '--instance', instance, ...controlPlane, ...args);
  if (stdout === '') throw new Error(stderr);
  const checks: readonly { readonly id: string; readonly problems: readonly Problem[] }[] = JSON.parse(stdout).checks;
  const check = checks.find(({ id }) => id === 'containers');
  return check?.problems.filter(({ message }) => message.includes(instance)) ?? [];
}

t.before(async () => {
  podman = await startPodmanMachine(machine.home, resolve('dist'));
  await copyImages(podman, machine.home, [image, 'postgres:16', 'prom/prometheus:v2.53.3']);
  await machine.startTarget();
  machine.writeFolders();
  await podman.runAsRoot('chown', '-R', '--reference', machine.home, machine.pathTo('product'), machine.pathTo('test'));
  await machine.startControlPlane(program, port);
});

t.teardown(async () => {
  await podman?.stop();
  machine.removeHome();
});

t.jobs = 1;

t.test('an application is onboarded, with log line and database', async (t) => {
  const folders = ['--product-dir', 'product', '--test-dir', 'test'];
  const onboarded = await vp(
    ...['onboard', '--tier', 'compose', '--instance-id', instance, ...controlPlane, ...folders, '--image', image],
  );
  t.match(onboarded, { code: 0, stdout: /^ALL SET$/m });
  t.match(onboarded.stdout, '1 log line found, database read');
  const runs = await vp('run', '--instance', instance, ...controlPlane, 'test');
  t.match(runs, { code: 0, stdout: /4 runs: 4 passed/ });
  t.same(await examine(), []);
});

t.test('a container that keeps ending does not count as running', async (t) => {
  await podman.runAsRoot('chmod', '600', podmanSocket);
  t.teardown(() => podman.runAsRoot('chmod', '660', podmanSocket));
  await machine.docker('restart', '--time', '1', containerOf('log-reader'));
  const [problem] = await eventually(() => examine(), {
    timeoutMs: 60_000,
    until: (problems) => problems.some(({ code }) => code === 'CONTAINER_RESTARTING'),
  });
  t.match(problem?.message, /service log-reader\) keeps exiting and restarting; its last log line: .*/);
  await podman.runAsRoot('chmod', '660', podmanSocket);
  await eventually(() => examine(), { timeoutMs: 90_000, until: (problems) => problems.length === 0 });
});

t.test('a stopped executor is reported, and started by doctor --fix', async (t) => {
  await machine.docker('stop', '--time', '5', containerOf('executor'));
  t.match(await examine(), [{ code: 'CONTAINER_STOPPED', message: /-executor-1 .*is not running/ }]);
  await examine('--fix');
  await eventually(() => examine(), { timeoutMs: 60_000, until: (problems) => problems.length === 0 });
  t.match(await vp('run', '--instance', instance, ...controlPlane, 'test'), { code: 0, stdout: /4 passed/ });
});

t.test('a teardown leaves nothing but the dashboard', async (t) => {
  const removed = await vp('teardown', '--tier', 'compose', '--instance-id', instance, ...controlPlane, '--no-sign-in');
  t.match(removed, { code: 0, stdout: /^REMOVED: vp-test-podman$/m }, removed.stderr);
  const remaining = (await machine.standing()).filter((line) => !/platform-obs/.test(line));
  t.same(
    remaining.filter((line) => line.includes('platform')),
    [],
  );
});
