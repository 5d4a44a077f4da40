/** The log reader against the logs of a real container engine. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { startLogReader } from '../../src/assemble/log-reader.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { openReaderSource } from '../../src/logs/sources/reader-source.ts';
import { eventually } from '../eventually.ts';
import { closeAfterTest, createLogFolder, waitForLines } from '../logs/log-folder.ts';

const project = 'vp-test-log-reader';
const engine = { socketPath: '/var/run/docker.sock', project };
const id = 'tr-20261120T143012345-x7';
const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const environment = { clock: systemClock, random: systemRandom };
const run = promisify(execFile);

const image = 'image: debian:bookworm-slim\n    command: ["sleep", "infinity"]\n    stop_grace_period: 0s';
const compose = `services:
  app:
    ${image}
  terminal:
    ${image}
    tty: true
  mute:
    ${image}
    logging: { driver: none }
  later:
    ${image}
    profiles: [later]
`;

type Test = Parameters<typeof createLogFolder>[0];

async function docker(...args: string[]): Promise<string> {
  return (await run('docker', args, { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 })).stdout;
}

/** Starts the project; it is removed at the end of the test. */
async function stage(t: Test, ...services: string[]) {
  const folder = createLogFolder(t);
  const file = join(folder, 'compose.yaml');
  writeFileSync(file, compose);
  const up = (...names: string[]) =>
    docker('compose', '-p', project, '-f', file, '--profile', '*', 'up', '-d', '--no-deps', ...names);
  const down = () =>
    docker('compose', '-p', project, '-f', file, '--profile', '*', 'down', '-v', '-t', '0', '--remove-orphans');
  await down();
  t.teardown(down);
  await up(...services);
  const socketPath = join(folder, 'r.sock');
  const reader = closeAfterTest(t, await startLogReader({ environment, engine, socketPath, log: silent }));
  const follow = (...names: string[]) =>
    closeAfterTest(t, openReaderSource({ socketPath, services: names, clock: systemClock }));
  return { up, reader, follow };
}

/** Writes to the output of the first process in the container of `service`. */
async function shell(service: string, script: string): Promise<void> {
  await docker('exec', `${project}-${service}-1`, 'bash', '-c', `{ ${script}; } > /proc/1/fd/1 2> /proc/1/fd/2`);
}

t.test('lines of both streams are read, with a terminal and without, and none from before', async (t) => {
  const { follow, up, reader } = await stage(t, 'app', 'terminal');
  t.strictSame(reader.services, ['app', 'terminal']);
  await shell('app', `echo "${id} before"`);
  const source = follow();
  await source.ready(10_000);
  t.equal(source.getProblem(), undefined);
  const watch = source.watch(id);
  await shell('app', `echo '{"reqId":"${id}","who":"Zoë"}'; echo "${id} error" >&2; echo noise`);
  await shell('terminal', `echo "${id} terminal"`);
  t.strictSame([...(await waitForLines(watch, 3))].sort(), [
    `${id} error`,
    `${id} terminal`,
    `{"reqId":"${id}","who":"Zoë"}`,
  ]);
  await up('later');
  await shell('later', `echo "${id} later"`);
  t.equal((await waitForLines(watch, 4))[3], `${id} later`);
});

t.test('a line of 1 MB arrives complete', async (t) => {
  const { follow } = await stage(t, 'app', 'terminal');
  const source = follow();
  await source.ready(10_000);
  const watch = source.watch(id);
  const padding = 1_000_000;
  const script = `printf '{"reqId":"${id}","padding":"'; head -c ${padding} /dev/zero | tr '\\0' x; echo '"}'`;
  for (const service of ['app', 'terminal']) await shell(service, script);
  for (const line of await waitForLines(watch, 2)) t.equal(JSON.parse(line).padding.length, padding);
  t.equal(watch.lines.length, 2);
});

t.test('no line is lost or repeated when a container crashes, restarts or is recreated', async (t) => {
  const { follow, up } = await stage(t, 'app');
  const source = follow('app');
  await source.ready(10_000);
  const watch = source.watch(id);
  await shell('app', `echo "${id} 1"`);
  await docker('restart', '-t', '0', `${project}-app-1`);
  await shell('app', `echo "${id} 2"`);
  await docker('kill', `${project}-app-1`);
  t.ok(await eventually(() => /no running container of the service app/.test(source.getProblem()?.problem ?? '')));
  await docker('start', `${project}-app-1`);
  await shell('app', `echo "${id} 3"`);
  await waitForLines(watch, 3);
  await up('--force-recreate', 'app');
  await shell('app', `echo "${id} 4"`);
  t.strictSame(
    await waitForLines(watch, 4),
    [1, 2, 3, 4].map((n) => `${id} ${n}`),
  );
  t.equal(source.getProblem(), undefined);
});

t.test('a service without a readable log is reported', async (t) => {
  const { follow } = await stage(t, 'app', 'mute');
  const source = follow('mute');
  t.ok(
    await eventually(() => /has no readable log of vp-test-log-reader-mute-1/.test(source.getProblem()?.problem ?? '')),
  );
  t.match(source.getProblem()?.cure, /json-file/, 'LOG_DRIVER_UNREADABLE');
  const all = follow();
  await all.ready(10_000);
  t.equal(all.getProblem(), undefined, 'the others can be read');
});

t.test('the right line is found among 200,000', async (t) => {
  const { follow } = await stage(t, 'app');
  const source = follow();
  await source.ready(10_000);
  const watch = source.watch(id);
  await shell(
    'app',
    `seq -f '{"level":30,"reqId":"tr-other","n":%.0f}' 150000; echo '{"reqId":"${id}"}'; seq -f 'noise %.0f' 50000; echo '${id} last'`,
  );
  t.strictSame(await waitForLines(watch, 2), [`{"reqId":"${id}"}`, `${id} last`]);
});
