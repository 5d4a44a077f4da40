import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { removeComposeProject, startComposeProject } from '../../src/containers/compose-project.ts';
import {
  describeContainer,
  findContainer,
  listContainers,
  listProjectContainers,
} from '../../src/containers/containers.ts';
import { openEngine } from '../../src/containers/engine.ts';
import { listNetworkNames, listProjectNames, listProjectVolumes } from '../../src/containers/engine-resources.ts';
import { hasImage, parseImageTag, parseRegistry, pullImage } from '../../src/containers/images.ts';
import { runOneOffContainer } from '../../src/containers/one-off-container.ts';
import { describePortHolder, findPortHolder } from '../../src/containers/port-holders.ts';

const environment = { variables: process.env, platform: process.platform };
const image = 'debian:bookworm-slim';
const name = 'vp-test-engine';
const port = 23_471;

function folderFor(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vp-engine-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An environment in which `docker` is a script of the test. */
function scriptedEngineEnvironment(t: Test, script: string, podmanScript?: string) {
  const folder = folderFor(t);
  const scripts = { docker: script, ...(podmanScript === undefined ? {} : { podman: podmanScript }) };
  for (const [program, text] of Object.entries(scripts)) {
    const file = join(folder, program);
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
  }
  return { variables: { PATH: `${folder}:/usr/bin:/bin` }, platform: process.platform };
}

t.test('the engine of this machine', async (t) => {
  const { info: facts } = await openEngine(environment);
  t.match(facts, { program: 'docker', version: /^\d+\./, composeVersion: /^2\./, socketFile: /docker\.sock$/ });
});

t.test('a compose project is started, listed and removed, and holds its port', async (t) => {
  const engine = await openEngine(environment);
  const folder = folderFor(t);
  await removeComposeProject(engine, { name }, { volumes: true });
  t.teardown(() => removeComposeProject(engine, { name }, { volumes: true }));
  writeFileSync(
    join(folder, 'compose.yaml'),
    `services:\n  app:\n    image: ${image}\n    init: true\n    command: [sleep, '600']\n    ports: ['127.0.0.1:${port}:80']\n    volumes: ['rows:/rows']\nvolumes: {rows: {}}\n`,
  );
  const lines: string[] = [];
  await startComposeProject(engine, { name, folder }, { onLine: (line) => lines.push(line) });
  t.ok(lines.length > 0, 'its progress was reported');
  const [appContainer] = await listProjectContainers(engine, name);
  t.match(appContainer, {
    name: `${name}-app-1`,
    state: 'running',
    project: name,
    service: 'app',
    networks: [`${name}_default`],
  });
  t.equal(
    appContainer && describeContainer(appContainer),
    `container ${name}-app-1 (compose project ${name}, service app)`,
  );
  t.match(await findContainer(engine, `${name}-app-1`), { state: 'running' });
  t.equal(await findContainer(engine, `${name}-app`), undefined, 'a part of a name is no name');
  t.ok((await listNetworkNames(engine)).includes(`${name}_default`));
  t.ok((await listProjectNames(engine)).includes(name));
  t.same(await listProjectVolumes(engine, name), [`${name}_rows`]);
  const holder = await findPortHolder(environment, engine, port);
  t.match(holder && describePortHolder(holder), new RegExp(`^container ${name}-app-1`));
  const holderWithoutEngine = await findPortHolder(environment, undefined, port);
  t.match(
    holderWithoutEngine && describePortHolder(holderWithoutEngine),
    /^process docker-proxy \(pid \d+\) of user root, on 127\.0\.0\.1$/,
  );
  const inside = await runOneOffContainer(engine, {
    image,
    args: ['cat', '/etc/hosts'],
    network: `${name}_default`,
    hosts: ['x:192.0.2.1'],
  });
  t.match(inside, { kind: 'exited', exitCode: 0, stdout: /192\.0\.2\.1\s+x/ });
  await removeComposeProject(engine, { name }, { volumes: true });
  t.same(await listProjectContainers(engine, name), []);
  t.same(await listProjectVolumes(engine, name), []);
  t.equal(await findPortHolder(environment, engine, port), undefined);
});

t.test('a project that cannot start reports the reason', async (t) => {
  const engine = await openEngine(environment);
  const folder = folderFor(t);
  writeFileSync(join(folder, 'compose.yaml'), `services: {app: {image: 'vp-no-such-image:v1'}}\n`);
  await t.rejects(startComposeProject(engine, { name: `${name}-none`, folder }), {
    code: 'ENGINE_COMMAND_FAILED',
    message: /No such image/i,
  });
});

t.test('a container that keeps ending ends the start at once, with its exit code and what it wrote', async (t) => {
  const engine = await openEngine(environment);
  const folder = folderFor(t);
  const project = { name: `${name}-loop`, folder };
  t.teardown(() => removeComposeProject(engine, project, { volumes: true }));
  const command = `[sh, -c, 'echo the key is missing >&2; exit 7']`;
  const healthcheck = `{test: [CMD, 'true'], interval: 60s}`;
  const service = `{image: '${image}', restart: unless-stopped, command: ${command}, healthcheck: ${healthcheck}}`;
  writeFileSync(join(folder, 'compose.yaml'), `services: {app: ${service}}\n`);
  // Waiting as long as compose may would end as ENGINE_COMMAND_SLOW.
  const reason = {
    code: 'CONTAINER_CRASH_LOOP',
    message: /service app\) does not stay up: .* ended with exit code 7; its last log lines: .*the key is missing/,
  };
  await t.rejects(startComposeProject(engine, project), reason);
  await t.rejects(startComposeProject(engine, project), reason, 'and again, while it keeps ending');
});

t.test('present and missing images', async (t) => {
  const engine = await openEngine(environment);
  t.equal(await hasImage(engine, image), true);
  t.equal(await hasImage(engine, 'vp-no-such-image:v1'), false);
  await t.rejects(pullImage(engine, 'registry.example.invalid/vp:v1'), { code: 'IMAGE_UNREACHABLE' });
});

t.test('errors of a registry are distinguished', async (t) => {
  const versionCases = 'case "$1 $2" in "version --format") echo 26.1.5;; "compose version") echo 2.26.1;; pull*) ';
  const refuses = async (stderr: string) => {
    const engine = await openEngine(
      scriptedEngineEnvironment(t, `${versionCases} echo '${stderr}' >&2; exit 1;; esac`),
    );
    return pullImage(engine, 'images.example.org/vp:v0.4.0-slim');
  };
  await t.rejects(refuses('unexpected status from HEAD request: 403 Forbidden'), {
    code: 'IMAGE_FORBIDDEN',
    cure: /docker login images\.example\.org/,
  });
  await t.rejects(refuses('pull access denied for vp, repository does not exist'), { code: 'IMAGE_FORBIDDEN' });
  await t.rejects(refuses('manifest unknown'), { code: 'IMAGE_UNKNOWN' });
});

t.test('an engine that is missing, stopped or forbidden', async (t) => {
  await t.rejects(openEngine({ variables: { PATH: folderFor(t) }, platform: process.platform }), {
    code: 'ENGINE_ABSENT',
  });
  const stoppedScript = "echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock.' >&2; exit 1";
  const stopped = scriptedEngineEnvironment(t, stoppedScript);
  await t.rejects(openEngine(stopped), { code: 'ENGINE_STOPPED', message: /Cannot connect/ });
  const podmanWithoutCompose = 'case "$1" in version) echo 4.3.1;; *) echo "unknown flag: --short" >&2; exit 1;; esac';
  const both = scriptedEngineEnvironment(t, stoppedScript, podmanWithoutCompose);
  await t.rejects(openEngine(both), { code: 'ENGINE_STOPPED' }, 'the engine that is there is named');
  const forbidden = scriptedEngineEnvironment(
    t,
    "echo 'permission denied while trying to connect to the docker API socket' >&2; exit 1",
  );
  await t.rejects(openEngine(forbidden), { code: 'ENGINE_FORBIDDEN', cure: /usermod/ });
  const old = scriptedEngineEnvironment(
    t,
    'case "$1" in version) echo 26.1.5;; *) echo "docker: compose is not a command" >&2; exit 1;; esac',
  );
  await t.rejects(openEngine(old), { code: 'ENGINE_COMPOSE_ABSENT', message: /compose is not a command/ });
  const first = scriptedEngineEnvironment(t, 'case "$1" in version) echo 26.1.5;; *) echo 1.29.2;; esac');
  await t.rejects(openEngine(first), { code: 'ENGINE_COMPOSE_ABSENT' });
});

t.test('commands that hang, and malformed output', async (t) => {
  const versionCases = 'case "$1 $2" in "version --format") echo 26.1.5;; "compose version") echo 2.26.1;; ';
  const engine = await openEngine(
    scriptedEngineEnvironment(t, `${versionCases} "ps --all") echo nonsense;; wait*) exec sleep 60;; esac`),
  );
  await t.rejects(listContainers(engine), { code: 'ENGINE_ANSWER_STRANGE' });
  await t.rejects(engine.output(['wait', 'for', 'ever'], { timeoutMs: 200 }), {
    code: 'ENGINE_COMMAND_SLOW',
    message: /`docker wait for ever` did not finish within 0\.2 s/,
  });
});

t.test('image references are parsed', async (t) => {
  t.equal(parseImageTag('vp:v0.4.0-slim'), 'v0.4.0-slim');
  t.equal(parseImageTag('localhost:5000/team/vp'), 'latest');
  t.equal(parseImageTag('vp@sha256:00'), undefined);
  t.equal(parseRegistry('localhost:5000/team/vp:slim'), 'localhost:5000');
  t.equal(parseRegistry('team/vp:slim'), '');
});
