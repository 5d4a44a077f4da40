/** The disk of an executor is full: runs wait, none is lost, and they continue by themselves when there is space. */
import t from 'tap';
import type { ContainerEngine } from '../../src/containers/engine.ts';
import { eventually } from '../eventually.ts';
import { debian, measureUntil, plainScenario, requestRun, waitForRunEnd } from './instance-runs.ts';
import {
  docker,
  readContainerLog,
  startTestInstance,
  type TestInstance,
  type TestInstanceNames,
} from './test-instance.ts';

/** The volume that compose would make, but of 8 MB. */
async function createSmallVolume(engine: ContainerEngine, { project }: TestInstanceNames): Promise<void> {
  const labels = [`com.docker.compose.project=${project}`, 'com.docker.compose.volume=data'];
  const options = ['type=tmpfs', 'device=tmpfs', 'o=size=8m,uid=10001,gid=10001,mode=0700'];
  await engine.output([
    ...['volume', 'create', ...labels.flatMap((label) => ['--label', label])],
    ...[...options.flatMap((option) => ['--opt', option]), `${project}_data`],
  ]);
}

async function runOnDisk({ names }: TestInstance, script: string): Promise<string> {
  const volume = `${names.project}_data:/data`;
  const bounds = ['--rm', '--network', 'none', '--user', '10001:10001', '--volume', volume];
  return docker('run', ...bounds, debian, 'sh', '-c', script);
}

async function countFinishedRuns({ client, names }: TestInstance): Promise<number> {
  const { items } = await client.runs.list({ instance: names.instance, limit: 100 });
  return items.filter(({ finished_at }) => finished_at !== null).length;
}

t.test('a full disk under the executor', { timeout: 300_000 }, async (t) => {
  const instance = await startTestInstance(t, { name: 'disk', port: 23_769, prepare: createSmallVolume });
  const { names } = instance;
  t.match(await waitForRunEnd(instance, await requestRun(instance, plainScenario())), { state: 'passed' });
  await runOnDisk(instance, 'dd if=/dev/zero of=/data/filler bs=64k; dd if=/dev/zero bs=1 >>/data/filler; true');
  t.match(await runOnDisk(instance, 'df --output=avail /data'), /\n\s*0\n/, 'no byte is free');
  const runs: string[] = [];
  for (let count = 0; count < 30; count += 1) runs.push(await requestRun(instance, plainScenario()));
  await measureUntil(async () => /cannot be (written|stored)/.test(await readContainerLog(names.executor)), 60);
  const [message] = (await readContainerLog(names.executor))
    .split('\n')
    .filter((line) => /cannot be (written|stored)/.test(line));
  t.comment(`the executor says: ${message}`);
  const before = await countFinishedRuns(instance);
  const { last_seen_at: seenAt } = await instance.client.instances.get(names.instance);
  await eventually(async () => (await instance.client.instances.get(names.instance)).last_seen_at, {
    until: (nextSeenAt) => Date.parse(nextSeenAt ?? '') > Date.parse(seenAt ?? '') + 5000,
    description: 'the executor was seen again, 5 s later',
  });
  t.equal(await countFinishedRuns(instance), before, 'no run ends');
  t.ok(before < 31, `${31 - before} of them wait`);
  const health = await docker(
    'inspect',
    '--format',
    '{{.State.Status}} {{.State.Health.Status}} {{.RestartCount}}',
    names.executor,
  );
  t.equal(health.trim(), 'running healthy 0', 'it keeps running');
  const startMs = Date.now();
  await runOnDisk(instance, 'rm /data/filler');
  await measureUntil(async () => (await countFinishedRuns(instance)) > before, 30);
  t.comment(`runs go on ${Date.now() - startMs} ms after there is room`);
  for (const run of runs) t.match(await waitForRunEnd(instance, run), { state: 'passed' });
  t.comment(`all 30 have passed ${Date.now() - startMs} ms after there is room`);
});
