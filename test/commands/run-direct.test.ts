/** `vp run --direct`: the executor of this machine is asked itself. */
import t from 'tap';
import { writeDirectKey } from '../../src/commands/direct-keys.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { json } from '../targets/http-target.ts';
import { directRuns, plane } from './plane.ts';
import { scenarioText, target, workspace } from './workspace.ts';

const text = scenarioText('RT-a', { checks: ['status=200', 'body has count equals 3'] });
/** Executors have ports of a small range; tests take those that others are unlikely to. */
const ports = { passing: 8787, busy: 8788, absent: 8789 };

t.test('a direct run goes past the queue, and its report reaches the control plane all the same', async (t) => {
  const { origin } = await target(t, json({ count: 3 }));
  const here = workspace(t, origin, { 'file.md': text.replaceAll('RT-a', 'RT-file') });
  const there = await plane(t, here);
  await there.register('shop', ports.passing);
  await there.put('shop', 'RT-a', text);
  await directRuns(t, here, await there.execute('shop', origin), ports.passing);
  const { code, stdout } = await there.vp(['run', '--direct', 'RT-a', 'file.md', '--json']);
  t.equal(code, 0);
  t.match(JSON.parse(stdout), {
    summary: { total: 2, passed: 2 },
    runs: [
      { origin: 'direct', instance: 'shop', file: 'file.md' },
      { origin: 'direct', file: 'shop/RT-a@1' },
    ],
  });
  const uploaded = async (): Promise<number> => (await there.control.runs.list({}, { limit: 5 })).items.length;
  while ((await uploaded()) < 2) await systemClock.sleep(10);
  t.match(await there.vp(['run', '--direct', 'RT-b']), { code: 2, stderr: 'SCENARIO_UNKNOWN' });
});

t.test('an executor that has a run in hand refuses', async (t) => {
  let answer = (): void => {};
  const { origin, arrived } = await target(t, (request, response, one) => {
    answer = () => json({ count: 3 })(request, response, one);
  });
  const here = workspace(t, origin, { 'a.md': text });
  const there = await plane(t, here);
  await there.register('shop', ports.busy);
  await directRuns(t, here, await there.execute('shop', origin), ports.busy);
  const queued = there.vp(['run', 'a.md']);
  while (arrived.length === 0) await systemClock.sleep(5);
  const refused = await there.vp(['run', '--direct', 'a.md']);
  t.match(refused, {
    code: 3,
    stdout: '',
    stderr: /the executor is busy with run \d{8}T\d{9} \(EXECUTOR_BUSY\)\n.*queues it/,
  });
  answer();
  t.equal((await queued).code, 0);
});

t.test('an executor that is not there, or has no port, is told', async (t) => {
  const here = workspace(t, 'http://127.0.0.1:9', { 'a.md': text });
  const there = await plane(t, here);
  await there.register('shop', ports.absent);
  const absent = ['run', '--direct', 'a.md', '--instance', 'shop'];
  t.match(
    await there.vp(absent),
    { code: 4, stderr: /no executor that this user has started/ },
    'it is not on this machine',
  );
  writeDirectKey(here.paths, ports.absent, 'vpd_x');
  t.match(await there.vp(absent), { code: 4, stderr: /RUN_EXECUTOR_UNREACHABLE[\s\S]*--direct/ });
  await there.register('other');
  t.match(await there.vp(['run', '--direct', 'a.md', '--instance', 'other']), {
    code: 2,
    stderr: 'RUN_EXECUTOR_PORT_UNKNOWN',
  });
});
