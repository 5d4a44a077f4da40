/**
 * podman behind the `docker` command: the output of podman 4.3.1 of Debian 12, recorded with Docker's client 28.2.2; and of
 * rootless podman 5.4.2 of Debian 13, through that client and by its own command.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { listContainers } from '../../../src/containers/containers.ts';
import { openEngine } from '../../../src/containers/engine.ts';
import { createProjectVolume } from '../../../src/containers/engine-resources.ts';
import { removeOldOneOffContainers } from '../../../src/containers/one-off-container.ts';
import { describePortHolder, findPortHolder } from '../../../src/containers/port-holders.ts';
import { inspectRuntime } from '../../../src/onboarding/compose/diagnosis/machine.ts';
import { buildObservabilityStack } from '../../../src/onboarding/compose/stacks/observability-stack.ts';
import { listRoleProblems } from '../../../src/onboarding/compose/stacks/stack-files.ts';

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

/** `version` commands of podman 5.4.2's own command, whether it is called `podman` or, by podman-docker, `docker`. */
const podmanCommandAnswers = `
  *Server.Components*) echo "Error: template: version:1:8: executing \\"version\\" at <.Components>: can't evaluate field Components in type *define.Version" >&2; exit 125 ;;
  version*) echo 5.4.2 ;;
  'compose version'*) echo 2.26.1-4 ;;
  *SecurityOptions*) echo "Error: template: info:1:7: executing \\"info\\" at <.SecurityOptions>: can't evaluate field SecurityOptions in type system.infoReport" >&2; exit 125 ;;
  *SELinuxEnabled*) echo selinux=false ;;
  *RemoteSocket*) echo unix:///run/user/1000/podman/podman.sock ;;`;
const podmanThroughDockerAnswers = `
  *Server.Components*) printf 'Podman Engine,Conmon,OCI Runtime (crun),Engine,' ;;
  version*) echo 5.4.2 ;;
  'compose version'*) echo 2.26.1-4 ;;
  info*) echo '["name=seccomp,profile=default","name=rootless"]' ;;`;

/** Opens podman 5.4.2 behind `programs`, which list `containers` (name, status) and answer `container inspect` by `inspect`. */
function openPodman5(
  t: Test,
  programs: Readonly<Record<string, string>>,
  containers: readonly (readonly [name: string, status: string])[] = [],
  inspect = '',
) {
  const folder = mkdtempSync(join(tmpdir(), 'vp-podman-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const lines = containers.map(([name, status]) => containerLine(name, 'running', '').replace('Up 2 minutes', status));
  for (const [program, answers] of Object.entries(programs)) {
    const file = join(folder, program);
    const list = `printf '%b\\n' ${lines.map((line) => `'${line}'`).join(' ')}`;
    const script = `case "$*" in ${answers}\n  'ps '*) ${list} ;;\n  'container inspect'*) ${inspect} ;;\nesac\n`;
    writeFileSync(file, `#!/bin/sh\n${script}`);
    chmodSync(file, 0o755);
  }
  return openEngine({ variables: { PATH: `${folder}:/usr/bin:/bin` }, platform: 'linux' });
}

const printStates = (states: Readonly<Record<string, string>>): string =>
  `printf '%b\\n' ${Object.entries(states)
    .map(([name, health]) => `'${name}\\t0\\t{"Status":"running","Running":true${health}}'`)
    .join(' ')}`;

t.test(
  'the health of containers is known, although the lists of podman 5 leave it out or write it in another form',
  async (t) => {
    const health = (status: string): string => `,"Health":{"Status":"${status}","FailingStreak":0,"Log":null}`;
    const states = printStates({ app: health('healthy'), bad: health('unhealthy'), new: health('starting'), bare: '' });
    const noHealth = printStates({
      app: health('healthy'),
      bad: health('unhealthy'),
      new: health('starting'),
      bare: ',"Health":null',
    });
    const listed = (suffixes: readonly string[]) =>
      ['app', 'bad', 'new', 'bare'].map((name, index) => [name, `Up 2 seconds${suffixes[index]}`] as const);
    const throughDocker = await openPodman5(
      t,
      { docker: podmanThroughDockerAnswers },
      listed(['', '', '', '']),
      states,
    );
    const displayed = [' (healthy)', ' (unhealthy)', ' (starting)', ''];
    const command = await openPodman5(
      t,
      { podman: podmanCommandAnswers, docker: podmanCommandAnswers },
      listed(displayed),
      noHealth,
    );
    for (const engine of [throughDocker, command]) {
      const containers = await listContainers(engine);
      t.same(
        containers.map(({ status }) => status),
        ['Up 2 seconds (healthy)', 'Up 2 seconds (unhealthy)', 'Up 2 seconds (health: starting)', 'Up 2 seconds'],
        engine.info.program,
      );
      t.same(
        listRoleProblems(
          containers.slice(1, 2).map((bad) => ({ ...bad, service: 'bad' })),
          ['bad'],
        ),
        ['bad is up 2 seconds (unhealthy)'],
      );
    }
  },
);

t.test(
  'a container that is removed while podman is read hides the others’ health no more than a failure does',
  async (t) => {
    const gone = `${printStates({ app: ',"Health":{"Status":"unhealthy"}' })}; echo 'Error response from daemon: no container with name or ID "gone" found: no such container' >&2; exit 1`;
    const listed = [
      ['app', 'Up 2 seconds'],
      ['gone', 'Up 2 seconds'],
    ] as const;
    const engine = await openPodman5(t, { docker: podmanThroughDockerAnswers }, listed, gone);
    t.match(await listContainers(engine), [{ status: 'Up 2 seconds (unhealthy)' }, { status: 'Up 2 seconds' }]);
    const failing = await openPodman5(t, { docker: podmanThroughDockerAnswers }, listed, 'echo broken >&2; exit 1');
    await t.rejects(listContainers(failing), { code: 'ENGINE_COMMAND_FAILED', message: /broken/ });
    const strange = await openPodman5(t, { docker: podmanThroughDockerAnswers }, listed, 'echo strange');
    await t.rejects(listContainers(strange), { code: 'ENGINE_ANSWER_STRANGE' });
  },
);

t.test('a container that keeps ending is restarting, although podman lists it as running or ended', async (t) => {
  const state = (name: string, restarts: number, more = ''): string =>
    `'${name}\\t${restarts}\\t{"Status":"stopped"${more}}'`;
  const listed = [
    ['looping', 'Up Less than a second'],
    ['ended', 'Exited (7) 2 seconds ago'],
    ['stopped', 'Exited (7) 2 seconds ago'],
    ['recovered', 'Up 3 minutes'],
    ['restarted', 'Up 4 seconds'],
  ] as const;
  const states = [
    state('looping', 77),
    state('ended', 5),
    state('stopped', 77, ',"StoppedByUser":true'),
    state('recovered', 3, ',"Health":{"Status":"healthy"}'),
    state('restarted', 1),
  ];
  const engine = await openPodman5(
    t,
    { docker: podmanThroughDockerAnswers },
    listed,
    `printf '%b\\n' ${states.join(' ')}`,
  );
  const containers = await listContainers(engine);
  t.same(
    containers.map(({ name, state }) => `${name} ${state}`),
    ['looping restarting', 'ended restarting', 'stopped running', 'recovered running', 'restarted running'],
  );
  t.equal(containers[3]?.status, 'Up 3 minutes (healthy)');
});

t.test('podman’s own command under the name `docker` is used as podman, with podman’s socket', async (t) => {
  const engine = await openPodman5(t, { docker: podmanCommandAnswers, podman: podmanCommandAnswers });
  t.match(engine.info, {
    ...{ program: 'podman', isPodman: true, version: '5.4.2', selinux: false },
    socketFile: '/run/user/1000/podman/podman.sock',
  });
  const enforcing = podmanCommandAnswers.replace('selinux=false', 'selinux=true');
  t.equal((await openPodman5(t, { podman: enforcing, docker: enforcing })).info.selinux, true);
});

t.test(
  'the volume of the metrics is not mounted on a folder of the image, whose owner podman would give to it',
  (t) => {
    const text = buildObservabilityStack({ image: 'vp:1', controlPlane: undefined }).files['compose.yaml'] ?? '';
    t.match(text, /source: metrics\n\s+target: \/metrics\n/);
    t.match(text, '--storage.tsdb.path=/metrics');
    t.end();
  },
);

t.test('a volume that exists is used again, although podman’s own command refuses to create it', async (t) => {
  const refusal = `case "$*" in *--ignore*) ;; *) echo 'Error: volume with name p_v already exists' >&2; exit 125 ;; esac`;
  const podman = `${podmanCommandAnswers}\n  'volume create'*) ${refusal} ;;`;
  t.equal(await createProjectVolume(await openPodman5(t, { podman, docker: podman }), 'p', 'v'), 'p_v');
  const docker = `${podmanThroughDockerAnswers}\n  *--ignore*) echo 'unknown flag: --ignore' >&2; exit 125 ;;`;
  t.equal(await createProjectVolume(await openPodman5(t, { docker }), 'p', 'v'), 'p_v');
});
