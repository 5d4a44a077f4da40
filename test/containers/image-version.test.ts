/** The image of the target's container is its version, and a rebuilt one triggers a schedule. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startControlPlane } from '../../src/assemble/control-plane/control-plane.ts';
import { startExecutorRole } from '../../src/assemble/executor/executor-role.ts';
import { startLogReader } from '../../src/assemble/log-reader.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { eventually } from '../eventually.ts';
import { createTestProject, scenarioText } from '../executor/test-project.ts';
import { closeAfterTest, createLogFolder } from '../logs/log-folder.ts';
import { docker } from './test-instance.ts';

const project = 'vp-test-image-version';
const tag = `${project}:test`;
const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const actor = { name: 'ana' };

/** Answers every request, and writes its X-Request-Id into the log. */
const server = `use IO::Socket::INET;
$| = 1;
my $listener = IO::Socket::INET->new(LocalPort => 3100, Listen => 5, ReuseAddr => 1) or die $!;
while (my $client = $listener->accept) {
  my $id = '';
  while (defined(my $line = <$client>)) { last if $line =~ /^\\r?$/; $id = $1 if $line =~ /^x-request-id: *([\\w-]+)/i; }
  print "{\\"reqId\\":\\"$id\\"}\\n" if $id;
  print $client "HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\n{}";
  close $client;
}
`;

async function buildAndStart(folder: string, release: string): Promise<string> {
  writeFileSync(join(folder, 'server.pl'), `# ${release}\n${server}`);
  writeFileSync(
    join(folder, 'Dockerfile'),
    'FROM debian:bookworm-slim\nCOPY server.pl /\nCMD ["perl", "/server.pl"]\n',
  );
  await docker('build', '--quiet', '--tag', tag, folder);
  await docker('compose', '-p', project, '-f', join(folder, 'compose.yaml'), 'up', '-d');
  const digest = (await docker('inspect', '--format', '{{.Image}}', `${project}-app-1`)).trim();
  return `image ${digest.slice(0, 'sha256:'.length + 12)}`;
}

/** A target in a container, its log reader, and a control plane with an executor in this process. */
async function stage(t: Test) {
  const folder = createLogFolder(t);
  const image = join(folder, 'image');
  mkdirSync(image);
  const app = `{image: '${tag}', init: true, stop_grace_period: 0s, ports: ['127.0.0.1::3100']}`;
  writeFileSync(join(image, 'compose.yaml'), `services: {app: ${app}}\n`);
  const down = () => docker('compose', '-p', project, '-f', join(image, 'compose.yaml'), 'down', '-t', '0');
  await down();
  t.teardown(async () => {
    await down();
    await docker('image', 'rm', '--force', tag);
  });
  const { environment } = memoryEnvironment();
  const socketPath = join(folder, 'r.sock');
  const first = await buildAndStart(image, 'first');
  const engine = { socketPath: '/var/run/docker.sock', project };
  closeAfterTest(t, await startLogReader({ environment, engine, socketPath, log: silent }));
  const host = { folder: join(folder, 'plane'), host: '127.0.0.1', port: 0 };
  const { control } = closeAfterTest(t, await startControlPlane({ environment, ...host, log: silent }));
  await control.instances.create({ instance_id: 'app' }, actor);
  const startExecutor = async () => {
    const address = (await docker('port', `${project}-app-1`, '3100')).trim();
    const logstore = {
      ...{ logFormat: 'json' as const, correlationField: 'reqId', levelField: undefined, errorMatch: undefined },
      ...{ sagaEvent: undefined, services: ['app'] },
    };
    return startExecutorRole({
      ...{ environment, log: silent, folder: join(folder, 'executor'), logSource: `unix:${socketPath}` },
      control: control.executorPort('app'),
      project: { ...createTestProject({ baseUrl: `http://${address}` }), logstore },
    });
  };
  return { control, startExecutor, rebuild: () => buildAndStart(image, 'second'), first };
}

t.test('a rebuilt image is another version, and a schedule requests its scenarios once', async (t) => {
  const { control, startExecutor, rebuild, first } = await stage(t);
  const trigger = 'GET ${INGESTION_URL}/\nX-Request-Id: ${correlation_id}';
  const text = scenarioText(trigger, ['status=200', 'log lines>=1']).replace('HTTP Ingestion', 'HTTP Ingestion + Log');
  await control.catalogue.write('app', 'RT-document', { text }, actor);
  const run = async (): Promise<string | undefined> => {
    const [requested] = await control.runs.request('app', { scenarios: [{ id: 'RT-document' }] }, actor);
    const { state, target_version: version } = await control.runs.wait(requested?.run_id ?? '', 60_000);
    t.equal(state, 'passed');
    return version;
  };
  let executor = await startExecutor();
  t.teardown(() => executor.close());
  t.equal(await run(), first);
  await control.schedules.create('app', { schedule_id: 'changed', on: 'new_version' }, actor);
  const readTicks = async () => (await control.schedules.get('app', 'changed')).ticks;
  t.equal(await run(), first);
  await executor.close();
  const second = await rebuild();
  t.not(second, first);
  executor = await startExecutor();
  t.equal(await run(), second);
  await eventually(async () => (await readTicks()).length === 1);
  t.equal(await run(), second);
  await eventually(async () => {
    const { items } = await control.runs.list({ instance: 'app', states: ['queued', 'in_progress'] }, { limit: 10 });
    return items.length === 0;
  });
  t.match(await readTicks(), [{ outcome: 'requested' }]);
  const { items } = await control.runs.list({ instance: 'app' }, { limit: 100 });
  t.same(
    items.filter(({ schedule }) => schedule === 'changed').map(({ target_version: version }) => version),
    [second],
  );
});
