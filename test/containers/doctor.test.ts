/** `vp doctor` among real containers: what stopped is started again by --fix, what crashes over and over says why. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { removeProject, startProject } from '../../src/containers/compose-project.ts';
import { containersOfProject } from '../../src/containers/containers.ts';
import { openEngine } from '../../src/containers/engine.ts';
import type { DoctorChecked } from '../../src/onboarding/doctor/doctor.ts';
import { workspace } from '../commands/workspace.ts';

const instance = 'vp-test-doctor';
const project = { name: `platform-inst-${instance}`, folder: mkdtempSync(join(tmpdir(), 'vp-doctor-')) };
const service = (command: string) =>
  `{image: 'debian:bookworm-slim', init: true, restart: always, command: [sh, -c, '${command}']}`;

t.test('containers that were stopped, and that crash', async (t) => {
  const engine = await openEngine({ variables: process.env, platform: process.platform });
  t.teardown(async () => {
    await removeProject(engine, project, { volumes: true });
    rmSync(project.folder, { recursive: true });
  });
  writeFileSync(
    join(project.folder, 'compose.yaml'),
    `services: {executor: ${service('sleep 600')}, crash: ${service('sleep 600')}}\n`,
  );
  await removeProject(engine, project, { volumes: true });
  await startProject(engine, project);
  const { vp } = workspace(t, 'http://127.0.0.1:1');
  const variables = { PATH: process.env.PATH ?? '', VP_CONTROL_PLANE: 'http://127.0.0.1:1' };
  const look = async (...args: readonly string[]) => {
    const { stdout } = await vp(['doctor', '--json', '--instance', instance, ...args], { variables });
    const checks: readonly DoctorChecked[] = JSON.parse(stdout).checks;
    const check = checks.find(({ id }) => id === 'containers');
    const own = check?.problems.filter(({ message }) => message.includes(instance)) ?? [];
    return { check, own };
  };
  const running = await look();
  t.same(running.own, []);
  t.match(running.check?.facts[0], new RegExp(`${instance}-\\w+-1 up `));
  await engine.output(['stop', '--time', '1', `${project.name}-executor-1`]);
  t.match((await look()).own, [{ code: 'CONTAINER_STOPPED', message: /service executor\) does not run \(exited\)$/ }]);
  const mended = await look('--fix');
  t.match(mended, { check: { fixed: [`start ${project.name}-executor-1`] }, own: [] });
  const states = await containersOfProject(engine, project.name);
  t.same(
    states.map(({ state }) => state),
    ['running', 'running'],
  );
  writeFileSync(
    join(project.folder, 'compose.yaml'),
    `services: {executor: ${service('sleep 600')}, crash: ${service('echo no key; exit 7')}}\n`,
  );
  await startProject(engine, project).catch(() => undefined);
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { own } = await look();
    if (own[0]?.code !== 'CONTAINER_RESTARTING') continue;
    t.match(own[0].message, /service crash\) ends and is started again, over and over; it said last: no key/);
    return;
  }
  t.fail('nobody noticed that it crashes');
});
