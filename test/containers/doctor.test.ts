/** `vp doctor` with real containers: --fix starts stopped ones, and a crash loop is reported with its log. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { removeComposeProject, startComposeProject } from '../../src/containers/compose-project.ts';
import { listProjectContainers } from '../../src/containers/containers.ts';
import { openEngine } from '../../src/containers/engine.ts';
import { listNetworkNames } from '../../src/containers/engine-resources.ts';
import { sharedNetwork } from '../../src/onboarding/compose/stacks/stack.ts';
import type { DoctorCheckResult } from '../../src/onboarding/doctor/doctor.ts';
import { createWorkspace } from '../commands/test-workspace.ts';

const instance = 'vp-test-doctor';
const project = { name: `platform-inst-${instance}`, folder: mkdtempSync(join(tmpdir(), 'vp-doctor-')) };
const service = (command: string, networks = 'default') =>
  `{image: 'debian:bookworm-slim', init: true, restart: always, command: [sh, -c, '${command}'], networks: [${networks}]}`;

t.test('stopped and crashing containers', async (t) => {
  const engine = await openEngine({ variables: process.env, platform: process.platform });
  t.teardown(async () => {
    await removeComposeProject(engine, project, { volumes: true });
    rmSync(project.folder, { recursive: true });
  });
  // An executor must be in the network that the platform shares, on a machine that has one.
  const isShared = (await listNetworkNames(engine)).includes(sharedNetwork);
  const networks = isShared ? `networks: {shared: {name: ${sharedNetwork}, external: true}}\n` : '';
  const executor = service('sleep 600', isShared ? 'default, shared' : 'default');
  const writeServices = (crash: string): void =>
    writeFileSync(
      join(project.folder, 'compose.yaml'),
      `services: {executor: ${executor}, log-reader: ${service('sleep 600')}, crash: ${service(crash)}}\n${networks}`,
    );
  writeServices('sleep 600');
  await removeComposeProject(engine, project, { volumes: true });
  await startComposeProject(engine, project);
  const { vp } = createWorkspace(t, 'http://127.0.0.1:1');
  const variables = { PATH: process.env.PATH ?? '', VP_CONTROL_PLANE: 'http://127.0.0.1:1' };
  const look = async (...args: readonly string[]) => {
    const { stdout } = await vp(['doctor', '--json', '--instance', instance, ...args], { variables });
    const checks: readonly DoctorCheckResult[] = JSON.parse(stdout).checks;
    const check = checks.find(({ id }) => id === 'containers');
    const own = check?.problems.filter(({ message }) => message.includes(instance)) ?? [];
    return { check, own };
  };
  const running = await look();
  t.same(running.own, []);
  t.match(running.check?.facts[0], new RegExp(`${instance}-[\\w-]+-1 up `));
  await engine.output(['stop', '--time', '1', `${project.name}-executor-1`]);
  t.match((await look()).own, [
    { code: 'CONTAINER_STOPPED', message: /service executor\) is not running \(exited \(\d+\) .*\)$/ },
  ]);
  const fixed = await look('--fix');
  t.match(fixed, { check: { fixed: [`start ${project.name}-executor-1`] }, own: [] });
  const states = await listProjectContainers(engine, project.name);
  t.same(
    states.map(({ state }) => state),
    ['running', 'running', 'running'],
  );
  writeServices('echo no key; exit 7');
  await startComposeProject(engine, project).catch(() => undefined);
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { own } = await look();
    if (own[0]?.code !== 'CONTAINER_RESTARTING') continue;
    t.match(own[0].message, /service crash\) keeps exiting and restarting; its last log line: no key/);
    return;
  }
  t.fail('the crash loop was not reported');
});
