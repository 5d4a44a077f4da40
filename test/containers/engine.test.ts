import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { removeProject, startProject } from '../../src/containers/compose-project.ts';
import { containerNamed, containers, containersOfProject, containerText } from '../../src/containers/containers.ts';
import { openEngine } from '../../src/containers/engine.ts';
import { hasImage, pullImage, registryOf, tagOf } from '../../src/containers/images.ts';
import { networkNames, projectNames, volumesOfProject } from '../../src/containers/networks.ts';
import { runOnce } from '../../src/containers/one-shot.ts';
import { holderText, portHolder } from '../../src/containers/port-holders.ts';

const place = { variables: process.env, platform: process.platform };
const image = 'debian:bookworm-slim';
const name = 'vp-test-engine';
const port = 23_471;

function folderFor(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vp-engine-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A place where `docker` is a script of the test. */
function scripted(t: Test, script: string) {
  const folder = folderFor(t);
  const file = join(folder, 'docker');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return { variables: { PATH: `${folder}:/usr/bin:/bin` }, platform: process.platform };
}

t.test('the engine of this machine', async (t) => {
  const { facts } = await openEngine(place);
  t.match(facts, { program: 'docker', version: /^\d+\./, composeVersion: /^2\./, socketFile: /docker\.sock$/ });
});

t.test('a compose project is started, seen and removed, and its port is known to be its own', async (t) => {
  const engine = await openEngine(place);
  const folder = folderFor(t);
  await removeProject(engine, { name }, { volumes: true });
  t.teardown(() => removeProject(engine, { name }, { volumes: true }));
  writeFileSync(
    join(folder, 'compose.yaml'),
    `services:\n  app:\n    image: ${image}\n    init: true\n    command: [sleep, '600']\n    ports: ['127.0.0.1:${port}:80']\n    volumes: ['rows:/rows']\nvolumes: {rows: {}}\n`,
  );
  const lines: string[] = [];
  await startProject(engine, { name, folder }, { onLine: (line) => lines.push(line) });
  t.ok(lines.length > 0, 'its progress was told');
  const [app] = await containersOfProject(engine, name);
  t.match(app, {
    name: `${name}-app-1`,
    state: 'running',
    project: name,
    service: 'app',
    networks: [`${name}_default`],
  });
  t.equal(app && containerText(app), `container ${name}-app-1 (compose project ${name}, service app)`);
  t.match(await containerNamed(engine, `${name}-app-1`), { state: 'running' });
  t.equal(await containerNamed(engine, `${name}-app`), undefined, 'a part of a name is no name');
  t.ok((await networkNames(engine)).includes(`${name}_default`));
  t.ok((await projectNames(engine)).includes(name));
  t.same(await volumesOfProject(engine, name), [`${name}_rows`]);
  const holder = await portHolder(place, engine, port);
  t.match(holder && holderText(holder), new RegExp(`^container ${name}-app-1`));
  const unknowing = await portHolder(place, undefined, port);
  t.match(unknowing && holderText(unknowing), /^process docker-proxy \(pid \d+\) of user root, on 127\.0\.0\.1$/);
  const inside = await runOnce(engine, {
    image,
    words: ['cat', '/etc/hosts'],
    network: `${name}_default`,
    hosts: ['x:192.0.2.1'],
  });
  t.match(inside, { kind: 'exited', exitCode: 0, stdout: /192\.0\.2\.1\s+x/ });
  await removeProject(engine, { name }, { volumes: true });
  t.same(await containersOfProject(engine, name), []);
  t.same(await volumesOfProject(engine, name), []);
  t.equal(await portHolder(place, engine, port), undefined);
});

t.test('a project that cannot start says why', async (t) => {
  const engine = await openEngine(place);
  const folder = folderFor(t);
  writeFileSync(join(folder, 'compose.yaml'), `services: {app: {image: 'vp-no-such-image:v1'}}\n`);
  await t.rejects(startProject(engine, { name: `${name}-none`, folder }), {
    code: 'ENGINE_COMMAND_FAILED',
    message: /No such image/i,
  });
});

t.test('images that are here and that are not', async (t) => {
  const engine = await openEngine(place);
  t.equal(await hasImage(engine, image), true);
  t.equal(await hasImage(engine, 'vp-no-such-image:v1'), false);
  await t.rejects(pullImage(engine, 'registry.example.invalid/vp:v1'), { code: 'IMAGE_UNREACHABLE' });
});

t.test('what a registry refuses is told apart', async (t) => {
  const usual = 'case "$1 $2" in "version --format") echo 26.1.5;; "compose version") echo 2.26.1;; pull*) ';
  const refuses = async (said: string) => {
    const engine = await openEngine(scripted(t, `${usual} echo '${said}' >&2; exit 1;; esac`));
    return pullImage(engine, 'images.example.org/vp:v0.4.0-slim');
  };
  await t.rejects(refuses('unexpected status from HEAD request: 403 Forbidden'), {
    code: 'IMAGE_FORBIDDEN',
    cure: /docker login images\.example\.org/,
  });
  await t.rejects(refuses('pull access denied for vp, repository does not exist'), { code: 'IMAGE_FORBIDDEN' });
  await t.rejects(refuses('manifest unknown'), { code: 'IMAGE_UNKNOWN' });
});

t.test('an engine that is not there, does not run, or is not for this user', async (t) => {
  await t.rejects(openEngine({ variables: { PATH: folderFor(t) }, platform: process.platform }), {
    code: 'ENGINE_ABSENT',
  });
  const stopped = scripted(t, "echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock.' >&2; exit 1");
  await t.rejects(openEngine(stopped), { code: 'ENGINE_STOPPED', message: /Cannot connect/ });
  const forbidden = scripted(
    t,
    "echo 'permission denied while trying to connect to the docker API socket' >&2; exit 1",
  );
  await t.rejects(openEngine(forbidden), { code: 'ENGINE_FORBIDDEN', cure: /usermod/ });
  const old = scripted(
    t,
    'case "$1" in version) echo 26.1.5;; *) echo "docker: compose is not a command" >&2; exit 1;; esac',
  );
  await t.rejects(openEngine(old), { code: 'ENGINE_COMPOSE_ABSENT', message: /compose is not a command/ });
  const first = scripted(t, 'case "$1" in version) echo 26.1.5;; *) echo 1.29.2;; esac');
  await t.rejects(openEngine(first), { code: 'ENGINE_COMPOSE_ABSENT' });
});

t.test('commands that hang, and answers that are no answers', async (t) => {
  const usual = 'case "$1 $2" in "version --format") echo 26.1.5;; "compose version") echo 2.26.1;; ';
  const engine = await openEngine(scripted(t, `${usual} "ps --all") echo nonsense;; wait*) exec sleep 60;; esac`));
  await t.rejects(containers(engine), { code: 'ENGINE_ANSWER_STRANGE' });
  await t.rejects(engine.output(['wait', 'for', 'ever'], { timeoutMs: 200 }), {
    code: 'ENGINE_COMMAND_SLOW',
    message: /`docker wait for ever` did not end within 0\.2 s/,
  });
});

t.test('the parts of an image reference', async (t) => {
  t.equal(tagOf('vp:v0.4.0-slim'), 'v0.4.0-slim');
  t.equal(tagOf('localhost:5000/team/vp'), 'latest');
  t.equal(tagOf('vp@sha256:00'), undefined);
  t.equal(registryOf('localhost:5000/team/vp:slim'), 'localhost:5000');
  t.equal(registryOf('team/vp:slim'), '');
});
