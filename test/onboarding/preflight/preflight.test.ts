import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import type { PreflightContext } from '../../../src/onboarding/preflight/context.ts';
import { demandReady, preflight } from '../../../src/onboarding/preflight/preflight.ts';
import { container, engineWith, machine, process, publisher } from './machine.ts';

const mebibyte = 1024 ** 2;

/** What is wrong, as `check: CODE message`. */
async function problemsOf(context: PreflightContext): Promise<string[]> {
  const { checks } = await preflight(context);
  return checks.flatMap(({ id, problems }) => problems.map(({ code, message }) => `${id}: ${code} ${message}`));
}

t.test('a machine on which all is well', async (t) => {
  const told: string[] = [];
  const onCheck: PreflightContext['onCheck'] = ({ title }, checked) => told.push(checked?.outcome ?? title);
  const report = await preflight(machine({ onCheck }));
  t.equal(report.outcome, 'ok');
  t.same(
    report.checks.map(({ id }) => id),
    [
      ...['runtime', 'dashboard_port', 'metrics_port', 'router_port', 'router_name', 'executor_port'],
      ...['target_port', 'disk', 'memory', 'bash', 'cluster'],
    ],
  );
  t.match(report.checks[0], { outcome: 'ok', facts: ['docker 26.1.5', 'compose 2.26.1'], problems: [] });
  t.match(told.slice(0, 3), ['container engine and compose', 'ok', 'port 3000 for the dashboard']);
  t.doesNotThrow(() => demandReady(report));
});

t.test('everything that is in the way is told at once, each with who holds it', async (t) => {
  const foreign = publisher(9095, { name: 'shop-metrics-1', project: 'shop', service: 'metrics' });
  const byHand = engineWith([container({ name: 'platform-router', image: 'nginx:1' })], { info: '/var/lib/docker' });
  const context = machine(
    {
      engine: async () => byHand,
      freeBytes: async (folder) => (folder === '/var/lib/docker' ? 300 : 10) * mebibyte,
      availableMemory: async () => 100 * mebibyte,
    },
    [process(3000), foreign, process(9765, 'python3')],
  );
  t.same(await problemsOf(context), [
    'dashboard_port: PORT_TAKEN port 3000, which the dashboard needs, is held by process nginx (pid 412) of user ada, on 127.0.0.1',
    'metrics_port: PORT_TAKEN port 9095, which the metrics store needs, is held by container shop-metrics-1 (compose project shop, service metrics)',
    'router_port: ROUTER_PORT_TAKEN another process answers on port 9765: process python3 (pid 412) of user ada, on 127.0.0.1; agents would fail with `unrecognized router token`',
    'router_name: ROUTER_NAME_TAKEN there is a container named platform-router that was started by hand, from the image nginx:1; the router needs that name',
    'disk: DISK_SHORT /var/lib/docker has 300 MiB of disk space left, and 1.0 GiB are needed',
    'disk: DISK_SHORT /home/ada/.local/share/vp has 10 MiB of disk space left, and 64 MiB are needed',
    'memory: MEMORY_SHORT 100 MiB of memory are left, and the containers take 768 MiB when they are busy',
  ]);
  const report = await preflight(context);
  t.equal(report.outcome, 'problem');
  t.throws(() => demandReady(report), {
    code: 'PREFLIGHT_FAILED',
    message: 'this machine is not ready: 6 problems are in the way',
    diagnostics: [{ code: 'PORT_TAKEN', cure: /stop what holds it/ }, ...Array.from({ length: 5 }, () => ({}))],
  });
});

t.test('our own projects hold their ports, which is right', async (t) => {
  const report = await preflight(
    machine({ engine: async () => engineWith([container({ name: 'platform-router', project: 'platform-router' })]) }, [
      publisher(3000, { name: 'platform-obs-dashboard-1', project: 'platform-obs', service: 'dashboard' }),
      publisher(9095, { name: 'platform-obs-prometheus-1', project: 'platform-obs', service: 'prometheus' }),
      publisher(9765, { name: 'platform-router', project: 'platform-router', service: 'router' }),
    ]),
  );
  t.equal(report.outcome, 'ok');
  t.match(report.checks[3]?.facts, [/^held by container platform-router .* as it should$/]);
  t.match(report.checks[4]?.facts, ['ours, running']);
});

t.test('a router of another compose project', async (t) => {
  const other = engineWith([container({ name: 'platform-router', project: 'shop' })]);
  const [problem = ''] = await problemsOf(machine({ engine: async () => other }));
  t.match(problem, /ROUTER_NAME_TAKEN .* belongs to the compose project shop/);
});

t.test('the port of the executor', async (t) => {
  const all = Array.from({ length: 26 }, (_, index) => 8765 + index);
  const taken = all.map((port) => (port < 8767 ? process(port) : publisher(port, { name: 'other' })));
  const free = await preflight(machine({}, taken.slice(0, 3)));
  t.match(free.checks[5], { outcome: 'ok', facts: ['8768 can be had'] });
  const [problem = ''] = await problemsOf(machine({}, taken));
  t.match(problem, /^executor_port: EXECUTOR_PORTS_TAKEN every port from 8765 to 8790 is taken/);
  t.match(
    problem,
    /\(8765, 8766: process nginx \(pid 412\) of user ada, on 127\.0\.0\.1; 8767, 8768, .*8790: container other\)/,
  );
  const own = publisher(8765, { name: 'platform-inst-shop-executor-1', project: 'platform-inst-shop' });
  const again = await preflight(machine({ instance: 'shop' }, [own]));
  t.same(again.checks[5]?.facts, ['8765 can be had'], 'the one that its own executor holds');
});

t.test('without an engine the rest is looked at all the same', async (t) => {
  const engine = () => Promise.reject(vpError('ENGINE_STOPPED', { reason: 'no socket' }));
  const problems = await problemsOf(machine({ engine, productDir: product(t, 'shop') }, [process(3000)]));
  t.match(problems, [/^runtime: ENGINE_STOPPED/, /^dashboard_port: PORT_TAKEN/]);
  t.equal(problems.length, 2);
});

function product(t: Test, project: string): string {
  const config = [
    'project: {name: shop}',
    'targets: {http: {base_url: "http://app:3100"}}',
    `deploy: {compose_project: ${project}, network: shop_default}`,
    '',
  ];
  return t.testdir({ 'platform-config.yaml': config.join('\n') });
}

t.test('the published ports of the target', async (t) => {
  const productDir = product(t, 'shop');
  const bindings = {
    'inspect --format {{json .HostConfig.PortBindings}} shop-app-1':
      '{"3100/tcp":[{"HostIp":"127.0.0.1","HostPort":"3200"}]}',
  };
  const app = container({ name: 'shop-app-1', project: 'shop', service: 'app' });
  const look = async (state: string, holders: Parameters<typeof machine>[1]) => {
    const engine = engineWith([{ ...app, state }], bindings);
    const { checks } = await preflight(machine({ productDir, engine: async () => engine }, holders));
    return checks[6];
  };
  t.match(await look('running', [{ port: 3200, container: app, listener: undefined }]), {
    outcome: 'ok',
    facts: ['3200 held by shop-app-1, as it should'],
  });
  t.match(await look('exited', []), { outcome: 'ok', facts: ['3200 free for shop-app-1, which is exited'] });
  t.match(await look('exited', [process(3200)]), {
    outcome: 'problem',
    problems: [
      {
        code: 'PORT_TAKEN',
        message: /port 3200, which the target's container shop-app-1 needs, is held by process nginx/,
      },
    ],
  });
  const [absent = ''] = await problemsOf(machine({ productDir }));
  t.match(absent, /^target_port: TARGET_ABSENT there is no container of the compose project shop/);
});

t.test('bash', async (t) => {
  const withBash = (answer: string | undefined) => {
    const folder = t.testdir();
    if (answer !== undefined) {
      writeFileSync(join(folder, 'bash'), `#!/bin/sh\necho '${answer}'\n`);
      chmodSync(join(folder, 'bash'), 0o755);
    }
    return problemsOf(machine({ place: { platform: 'darwin', variables: { PATH: folder } } }));
  };
  t.same(await withBash('4.4'), []);
  t.match(await withBash('4.3'), [
    /^bash: BASH_TOO_OLD_FOR_SCRIPTS the kit’s scripts .* the first bash on PATH is 4\.3$/,
  ]);
  t.match(await withBash(undefined), [/there is no bash on PATH$/]);
  const { checks } = await preflight(machine({ place: { platform: 'darwin', variables: { PATH: t.testdir() } } }));
  t.match(checks[9], { outcome: 'warning', problems: [{ severity: 'warning', cure: /brew install bash/ }] });
});

t.test('a cluster is answered clearly', async (t) => {
  const { checks } = await preflight(machine({ kubeContext: 'minikube' }));
  t.match(checks.at(-1), { outcome: 'ok', facts: [/nothing was looked at in the cluster minikube/] });
});

t.test('what this machine cannot tell is no problem', async (t) => {
  const context = machine({ freeBytes: async () => undefined, availableMemory: async () => undefined });
  t.same(await problemsOf(context), []);
});

t.test('our own faults are not dressed up as problems, and it can be stopped', async (t) => {
  await t.rejects(preflight(machine({ holderOf: () => Promise.reject(new TypeError('a fault')) })), TypeError);
  await t.rejects(preflight(machine({ signal: AbortSignal.abort(new Error('enough')) })), /enough/);
});
