import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import type { PreflightContext } from '../../../src/onboarding/preflight/context.ts';
import { assertNoErrors, runPreflightChecks } from '../../../src/onboarding/preflight/preflight.ts';
import {
  container,
  containerHolder,
  createFakeEngine,
  createPreflightTestContext,
  processHolder,
} from './preflight-context.ts';

const mebibyte = 1024 ** 2;

/** All problems, as `check: CODE message`. */
async function listProblems(context: PreflightContext): Promise<string[]> {
  const { checks } = await runPreflightChecks(context);
  return checks.flatMap(({ id, problems }) => problems.map(({ code, message }) => `${id}: ${code} ${message}`));
}

t.test('a machine without problems', async (t) => {
  const checkEvents: string[] = [];
  const onCheck: PreflightContext['onCheck'] = ({ title }, checked) => checkEvents.push(checked?.outcome ?? title);
  const report = await runPreflightChecks(createPreflightTestContext({ onCheck }));
  t.equal(report.outcome, 'ok');
  t.same(
    report.checks.map(({ id }) => id),
    [
      ...['runtime', 'dashboard_port', 'metrics_port', 'router_port', 'router_name', 'executor_port'],
      ...['target_port', 'database_user', 'disk', 'memory', 'bash', 'cluster'],
    ],
  );
  t.match(report.checks[0], { outcome: 'ok', facts: ['docker 26.1.5', 'compose 2.26.1'], problems: [] });
  t.match(checkEvents.slice(0, 3), ['container engine and compose', 'ok', 'port 3000 for the dashboard']);
  t.doesNotThrow(() => assertNoErrors(report.checks.flatMap(({ problems }) => problems)));
});

t.test('all problems are reported at once, with the holders of ports', async (t) => {
  const foreignContainer = containerHolder(9095, { name: 'shop-metrics-1', project: 'shop', service: 'metrics' });
  const engineWithManualRouter = createFakeEngine([container({ name: 'platform-router', image: 'nginx:1' })], {
    info: '/var/lib/docker',
  });
  const context = createPreflightTestContext(
    {
      engine: async () => engineWithManualRouter,
      readFreeBytes: async (folder) => (folder === '/var/lib/docker' ? 300 : 10) * mebibyte,
      readAvailableMemory: async () => 100 * mebibyte,
    },
    [processHolder(3000), foreignContainer, processHolder(9765, 'python3')],
  );
  t.same(await listProblems(context), [
    'dashboard_port: PORT_TAKEN port 3000, which the dashboard needs, is held by process nginx (pid 412) of user ada, on 127.0.0.1',
    'metrics_port: PORT_TAKEN port 9095, which the metrics store needs, is held by container shop-metrics-1 (compose project shop, service metrics)',
    'router_port: ROUTER_PORT_TAKEN another process answers on port 9765: process python3 (pid 412) of user ada, on 127.0.0.1; agents would fail with `unrecognized router token`',
    'router_name: ROUTER_NAME_TAKEN there is a container named platform-router that was started by hand, from the image nginx:1; the router needs that name',
    'disk: DISK_SHORT /var/lib/docker has 300 MiB of disk space left, and 1.0 GiB are needed',
    'disk: DISK_SHORT /home/ada/.local/share/vp has 10 MiB of disk space left, and 64 MiB are needed',
    'memory: MEMORY_SHORT 100 MiB of memory are available, and the containers need up to 768 MiB',
  ]);
  const report = await runPreflightChecks(context);
  t.equal(report.outcome, 'problem');
  const problems = report.checks.flatMap((check) => check.problems);
  t.throws(() => assertNoErrors(problems), {
    code: 'PREFLIGHT_FAILED',
    message: 'this machine is not ready: 6 problems found',
    diagnostics: [{ code: 'PORT_TAKEN', cure: /stop that process/ }, ...Array.from({ length: 5 }, () => ({}))],
  });
});

t.test('ports held by the platform’s own projects are no problem', async (t) => {
  const report = await runPreflightChecks(
    createPreflightTestContext(
      { engine: async () => createFakeEngine([container({ name: 'platform-router', project: 'platform-router' })]) },
      [
        containerHolder(3000, { name: 'platform-obs-dashboard-1', project: 'platform-obs', service: 'dashboard' }),
        containerHolder(9095, { name: 'platform-obs-prometheus-1', project: 'platform-obs', service: 'prometheus' }),
        containerHolder(9765, { name: 'platform-router', project: 'platform-router', service: 'router' }),
      ],
    ),
  );
  t.equal(report.outcome, 'ok');
  t.match(report.checks[3]?.facts, [/^held by container platform-router .* as expected$/]);
  t.match(report.checks[4]?.facts, ['ours, running']);
});

t.test('a router container of another compose project is reported', async (t) => {
  const other = createFakeEngine([container({ name: 'platform-router', project: 'shop' })]);
  const [problem = ''] = await listProblems(createPreflightTestContext({ engine: async () => other }));
  t.match(problem, /ROUTER_NAME_TAKEN .* belongs to the compose project shop/);
});

t.test('a port for the executor is found', async (t) => {
  const allPorts = Array.from({ length: 26 }, (_, index) => 8765 + index);
  const holders = allPorts.map((port) =>
    port < 8767 ? processHolder(port) : containerHolder(port, { name: 'other' }),
  );
  const free = await runPreflightChecks(createPreflightTestContext({}, holders.slice(0, 3)));
  t.match(free.checks[5], { outcome: 'ok', facts: ['8768 is available'] });
  const [problem = ''] = await listProblems(createPreflightTestContext({}, holders));
  t.match(problem, /^executor_port: EXECUTOR_PORTS_TAKEN every port from 8765 to 8790 is taken/);
  t.match(
    problem,
    /\(8765, 8766: process nginx \(pid 412\) of user ada, on 127\.0\.0\.1; 8767, 8768, .*8790: container other\)/,
  );
  const ownHolder = containerHolder(8765, { name: 'platform-inst-shop-executor-1', project: 'platform-inst-shop' });
  const again = await runPreflightChecks(createPreflightTestContext({ instance: 'shop' }, [ownHolder]));
  t.same(again.checks[5]?.facts, ['8765 is available'], 'the one that its own executor holds');
});

t.test('the other checks run without an engine', async (t) => {
  const engine = () => Promise.reject(vpError('ENGINE_STOPPED', { reason: 'no socket' }));
  const problems = await listProblems(
    createPreflightTestContext({ engine, productDir: createProductFolder(t, 'shop') }, [processHolder(3000)]),
  );
  t.match(problems, [/^runtime: ENGINE_STOPPED/, /^dashboard_port: PORT_TAKEN/]);
  t.equal(problems.length, 2);
});

function createProductFolder(t: Test, project: string): string {
  const config = [
    'project: {name: shop}',
    'targets: {http: {base_url: "http://app:3100"}}',
    `deploy: {compose_project: ${project}, network: shop_default}`,
    '',
  ];
  return t.testdir({ 'platform-config.yaml': config.join('\n') });
}

t.test('a named product folder without a usable config is a problem', async (t) => {
  const folder = t.testdir({ 'platform-config.yaml': 'project: [' });
  for (const productDir of [join(folder, 'absent'), folder]) {
    const { outcome, checks } = await runPreflightChecks(createPreflightTestContext({ productDir }));
    t.equal(outcome, 'problem');
    t.match(checks[6], { id: 'target_port', outcome: 'problem', problems: [{ message: folder }] });
    t.match(checks[7], { id: 'database_user', outcome: 'skipped' });
  }
});

t.test('published ports of the target are checked', async (t) => {
  const productDir = createProductFolder(t, 'shop');
  const bindings = {
    'inspect --format {{json .HostConfig.PortBindings}} shop-app-1':
      '{"3100/tcp":[{"HostIp":"127.0.0.1","HostPort":"3200"}]}',
  };
  const app = container({ name: 'shop-app-1', project: 'shop', service: 'app' });
  const inspectTarget = async (state: string, holders: Parameters<typeof createPreflightTestContext>[1]) => {
    const engine = createFakeEngine([{ ...app, state }], bindings);
    const { checks } = await runPreflightChecks(
      createPreflightTestContext({ productDir, engine: async () => engine }, holders),
    );
    return checks[6];
  };
  t.match(await inspectTarget('running', [{ port: 3200, container: app, listener: undefined }]), {
    outcome: 'ok',
    facts: ['3200 held by shop-app-1, as expected', 'shop-app-1 up 2 minutes'],
  });
  t.match(
    await inspectTarget('exited', []),
    {
      outcome: 'problem',
      facts: ['3200 free for shop-app-1, which is exited'],
      problems: [{ code: 'TARGET_STOPPED', cure: /docker start shop-app-1/ }],
    },
    'its ports are free, but it does not run',
  );
  t.match(await inspectTarget('exited', [processHolder(3200)]), {
    outcome: 'problem',
    problems: [
      {
        code: 'PORT_TAKEN',
        message: /port 3200, which the target's container shop-app-1 needs, is held by process nginx/,
      },
    ],
  });
  const [problem = ''] = await listProblems(createPreflightTestContext({ productDir }));
  t.match(problem, /^target_port: TARGET_ABSENT there is no container of the compose project shop/);
});

t.test('a database user that usually owns the database is told', async (t) => {
  const write = (username: string): string => {
    const database = `{type: postgres, jdbc_url: "jdbc:postgresql://db/shop", username: ${username}, password: "\${PASSWORD}"}`;
    const config = `project: {name: shop}\ntargets: {http: {base_url: "http://app:1"}, database: ${database}}\n`;
    return t.testdir({ 'platform-config.yaml': config, '.env': 'PASSWORD=long-enough-1\n' });
  };
  const find = async (username: string) => {
    const { checks } = await runPreflightChecks(createPreflightTestContext({ productDir: write(username) }));
    return checks.find(({ id }) => id === 'database_user');
  };
  t.match(await find('postgres'), {
    outcome: 'warning',
    problems: [{ code: 'CONFIG_DATABASE_OWNER', cure: /SELECT/ }],
  });
  t.match(await find('shop_reader'), { outcome: 'ok', facts: ['shop_reader'] });
});

t.test('a bash on PATH that is too old for the scripts of the kit is reported', async (t) => {
  const listProblemsWithBash = (answer: string | undefined) => {
    const folder = t.testdir();
    if (answer !== undefined) {
      writeFileSync(join(folder, 'bash'), `#!/bin/sh\necho '${answer}'\n`);
      chmodSync(join(folder, 'bash'), 0o755);
    }
    return listProblems(
      createPreflightTestContext({ environment: { platform: 'darwin', variables: { PATH: folder } } }),
    );
  };
  t.same(await listProblemsWithBash('4.4'), []);
  t.match(await listProblemsWithBash('4.3'), [
    /^bash: BASH_TOO_OLD_FOR_SCRIPTS the kit’s scripts .* the first bash on PATH is 4\.3$/,
  ]);
  t.match(await listProblemsWithBash(undefined), [/there is no bash on PATH$/]);
  const { checks } = await runPreflightChecks(
    createPreflightTestContext({ environment: { platform: 'darwin', variables: { PATH: t.testdir() } } }),
  );
  t.match(checks[10], { outcome: 'warning', problems: [{ severity: 'warning', cure: /brew install bash/ }] });
});

t.test('a named cluster is reported as not checked', async (t) => {
  const { checks } = await runPreflightChecks(createPreflightTestContext({ kubeContext: 'minikube' }));
  t.match(checks.at(-1), { outcome: 'skipped', facts: [/the cluster minikube was not checked/] });
});

t.test('values that are unknown on this machine are no problem', async (t) => {
  const context = createPreflightTestContext({
    readFreeBytes: async () => undefined,
    readAvailableMemory: async () => undefined,
  });
  t.same(await listProblems(context), []);
  const { checks } = await runPreflightChecks(context);
  const find = (id: string) => checks.find((checked) => checked.id === id);
  t.match(find('memory'), { outcome: 'skipped', facts: [/^not checked/] });
  t.match(find('disk'), { outcome: 'skipped', facts: [/^not checked/, /^not checked/] }, 'neither part was checked');
  const halfKnown = createPreflightTestContext({
    readFreeBytes: async (folder) => (folder === '/' ? undefined : 2 ** 40),
  });
  t.match(
    (await runPreflightChecks(halfKnown)).checks.find(({ id }) => id === 'disk'),
    { outcome: 'ok' },
  );
});

t.test('internal errors are thrown, and an abort stops the checks', async (t) => {
  await t.rejects(
    runPreflightChecks(createPreflightTestContext({ findPortHolder: () => Promise.reject(new TypeError('a fault')) })),
    TypeError,
  );
  await t.rejects(
    runPreflightChecks(createPreflightTestContext({ signal: AbortSignal.abort(new Error('enough')) })),
    /enough/,
  );
});
