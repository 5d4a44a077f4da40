/** The disk under an executor is full: runs wait, none is lost, and they go on by themselves when there is room. */
import t from 'tap';
import type { Engine } from '../../src/containers/engine.ts';
import { debian, ended, plainScenario, requested, until } from './instance-runs.ts';
import { docker, logOf, type Names, type Stage, stage } from './instance-stage.ts';

/** The volume that compose would make, but of 8 MB. */
async function smallVolume(engine: Engine, { project }: Names): Promise<void> {
  const labels = [`com.docker.compose.project=${project}`, 'com.docker.compose.volume=data'];
  const options = ['type=tmpfs', 'device=tmpfs', 'o=size=8m,uid=10001,gid=10001,mode=0700'];
  await engine.output([
    ...['volume', 'create', ...labels.flatMap((label) => ['--label', label])],
    ...[...options.flatMap((option) => ['--opt', option]), `${project}_data`],
  ]);
}

async function onTheDisk({ names }: Stage, script: string): Promise<string> {
  const volume = `${names.project}_data:/data`;
  const bounds = ['--rm', '--network', 'none', '--user', '10001:10001', '--volume', volume];
  return docker('run', ...bounds, debian, 'sh', '-c', script);
}

async function finished({ client, names }: Stage): Promise<number> {
  const { items } = await client.runs.list({ instance: names.instance, limit: 100 });
  return items.filter(({ finished_at }) => finished_at !== null).length;
}

t.test('a full disk under the executor', { timeout: 300_000 }, async (t) => {
  const there = await stage(t, { name: 'disk', port: 23_769, prepare: smallVolume });
  const { names } = there;
  t.match(await ended(there, await requested(there, plainScenario())), { state: 'passed' });
  await onTheDisk(there, 'dd if=/dev/zero of=/data/filler bs=64k; dd if=/dev/zero bs=1 >>/data/filler; true');
  t.match(await onTheDisk(there, 'df --output=avail /data'), /\n\s*0\n/, 'no byte is free');
  const runs: string[] = [];
  for (let count = 0; count < 30; count += 1) runs.push(await requested(there, plainScenario()));
  await until(async () => /cannot be (written|noted)/.test(await logOf(names.executor)), 60);
  const [told] = (await logOf(names.executor)).split('\n').filter((line) => /cannot be (written|noted)/.test(line));
  t.comment(`the executor says: ${told}`);
  const before = await finished(there);
  await new Promise((done) => setTimeout(done, 5000));
  t.equal(await finished(there), before, 'no run ends');
  t.ok(before < 31, `${31 - before} of them wait`);
  const health = await docker(
    'inspect',
    '--format',
    '{{.State.Status}} {{.State.Health.Status}} {{.RestartCount}}',
    names.executor,
  );
  t.equal(health.trim(), 'running healthy 0', 'it goes on');
  const sinceMs = Date.now();
  await onTheDisk(there, 'rm /data/filler');
  await until(async () => (await finished(there)) > before, 30);
  t.comment(`runs go on ${Date.now() - sinceMs} ms after there is room`);
  for (const run of runs) t.match(await ended(there, run), { state: 'passed' });
  t.comment(`all 30 have passed ${Date.now() - sinceMs} ms after there is room`);
});
