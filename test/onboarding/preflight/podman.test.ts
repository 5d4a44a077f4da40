/** podman behind the `docker` command: the output of podman 4.3.1 of Debian 12, recorded with Docker's client 28.2.2. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openEngine } from '../../../src/containers/engine.ts';
import { removeOldOneOffContainers } from '../../../src/containers/one-off-container.ts';
import { describePortHolder, findPortHolder } from '../../../src/containers/port-holders.ts';
import { inspectRuntime } from '../../../src/onboarding/compose/diagnosis/machine.ts';

const containerLine = (name: string, state: string, ports: string): string =>
  [name, name, 'localhost/app:1', state, 'Up 2 minutes', 'shop', 'app', 'shop_default', ports, '/srv/shop'].join('\\t');

/** An environment in which `docker` answers as podman `version` did. */
function createPodmanEnvironment(t: Test, version = '4.3.1') {
  const folder = t.testdir();
  const script = `#!/bin/sh
case "$*" in
  *Server.Components*) printf 'Podman Engine,Conmon,OCI Runtime (crun),Engine,' ;;
  version*) echo ${version} ;;
  'compose version'*) echo 2.26.1 ;;
  info*) echo '["name=seccomp,profile=default"]' ;;
  *publish=*) echo 'Error response from daemon: publish is an invalid filter' >&2; exit 1 ;;
  *status=dead*) echo 'Error response from daemon: unknown container state: dead: invalid argument' >&2; exit 1 ;;
  'ps '*) printf '%b\\n' '${containerLine('web', 'running', '127.0.0.1:23999->3100/tcp')}' '${containerLine(
    'range',
    'running',
    '9000/tcp, [::]:8000-8010->8000-8010/tcp',
  )}' '${containerLine('ended', 'exited', '0.0.0.0:23998->80/tcp')}' ;;
  rm*) echo "$*" >> ${join(folder, 'removed')} ;;
esac
`;
  writeFileSync(join(folder, 'docker'), script);
  chmodSync(join(folder, 'docker'), 0o755);
  return { variables: { PATH: `${folder}:/usr/bin:/bin` }, platform: process.platform };
}

t.test('podman 4 is refused before anything is set up, whatever the command is called', async (t) => {
  const environment = createPodmanEnvironment(t);
  const engine = await openEngine(environment);
  t.match(engine.info, { program: 'docker', isPodman: true, version: '4.3.1' });
  const inspect = (opened: typeof engine) => inspectRuntime({ engine: async () => opened });
  t.match(await inspect(engine), {
    facts: ['podman 4.3.1', 'compose 2.26.1'],
    problems: [{ code: 'ENGINE_PODMAN_OLD', severity: 'error', message: /podman 4\.3\.1 cannot host the platform/ }],
  });
  const newer = await openEngine(createPodmanEnvironment(t, '5.4.2'));
  t.match(await inspect(newer), { problems: [{ code: 'ENGINE_PODMAN_UNTRIED', severity: 'warning' }] });
});

t.test('the holder of a port is found where the engine refuses the filter `publish`', async (t) => {
  const environment = createPodmanEnvironment(t);
  const engine = await openEngine(environment);
  const describe = async (port: number) => {
    const holder = await findPortHolder(environment, engine, port);
    return holder && describePortHolder(holder);
  };
  t.equal(await describe(23_999), 'container web (compose project shop, service app)');
  t.equal(await describe(8004), 'container range (compose project shop, service app)');
  for (const port of [8011, 9000, 3100, 23_998]) t.notMatch(await describe(port), /container/, String(port));
});

t.test('containers that have ended are found where the engine refuses the state `dead`', async (t) => {
  t.same(await removeOldOneOffContainers(await openEngine(createPodmanEnvironment(t))), ['ended']);
});
