/** `vp doctor` with real containers: --fix starts stopped ones, and a crash loop is reported with its log. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { removeComposeProject, startComposeProject } from '../../src/containers/compose-project.ts';
import { listProjectContainers } from '../../src/containers/containers.ts';
import { openEngine } from '../../src/containers/engine.ts';
import type { DoctorCheckResult } from '../../src/onboarding/doctor/doctor.ts';
import { createWorkspace } from '../commands/test-workspace.ts';

const instance = 'vp-test-doctor';
const project = { name: `platform-inst-${instance}`, folder: mkdtempSync(join(tmpdir(), 'vp-doctor-')) };
const service = (command: string) =>
  `{image: 'debian:bookworm-slim', init: true, restart: always, command: [sh, -c, '${command}']}`;

t.test('stopped and crashing containers', async (t) => {
  const engine = await openEngine({ variables: process.env, platform: process.platform });
  t.teardown(async () => {
    await removeComposeProject(engine, project, { volumes: true });
    rmSync(project.folder, { recursive: true });
  });
  writeFileSync(
    join(project.folder, 'compose.yaml'),
    `services: {executor: ${service('sleep 600')}, log-reader: ${service('sleep 600')}, crash: ${service('sleep 600')}}\n`,
  );
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
  writeFileSync(
    join(project.folder, 'compose.yaml'),
    `services: {executor: ${service('sleep 600')}, log-reader: ${service('sleep 600')}, crash: ${service('echo no key; exit 7')}}\n`,
  );
  await startComposeProject(engine, project).catch(() => undefined);
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { own } = await look();
    if (own[0]?.code !== 'CONTAINER_RESTARTING') continue;
    t.match(own[0].message, /service crash\) keeps exiting and restarting; its last log line: no key/);
    return;
  }
  t.fail('the crash loop was not reported');
});
