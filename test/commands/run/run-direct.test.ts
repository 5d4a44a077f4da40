/** `vp run --direct`: calls the executor on this machine directly. */
import t from 'tap';
import { removeDirectRunKey, writeDirectRunKey } from '../../../src/commands/control-plane/direct-keys.ts';
import { eventually } from '../../eventually.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { writeOnboardedKit } from '../onboarded-kit.ts';
import { startDirectRuns, startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

const text = scenarioText('RT-a', { checks: ['status=200', 'body has count equals 3'] });
/** Executors use a small range of ports; tests take ports that others are unlikely to use. */
const ports = { passing: 8787, busy: 8788, absent: 8789, onboarded: 8786 };

t.test('a direct run bypasses the queue, and its report still reaches the control plane', async (t) => {
  const { origin } = await startTarget(t, respondWithJson({ count: 3 }));
  const testWorkspace = createWorkspace(t, origin, { 'file.md': text.replaceAll('RT-a', 'RT-file') });
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop', ports.passing);
  await controlPlane.writeScenario('shop', 'RT-a', text);
  await startDirectRuns(t, testWorkspace, await controlPlane.startExecutor('shop', origin), ports.passing);
  const { code, stdout } = await controlPlane.vp(['run', '--direct', 'RT-a', 'file.md', '--json']);
  t.equal(code, 0);
  t.match(JSON.parse(stdout), {
    summary: { total: 2, passed: 2 },
    runs: [
      { origin: 'direct', instance: 'shop', file: 'file.md' },
      { origin: 'direct', file: 'shop/RT-a@1' },
    ],
  });
  const countUploaded = async (): Promise<number> =>
    (await controlPlane.control.runs.list({}, { limit: 5 })).items.length;
  await eventually(countUploaded, { until: (count) => count >= 2 });
  t.match(await controlPlane.vp(['run', '--direct', 'RT-b']), { code: 2, stderr: 'SCENARIO_UNKNOWN' });
});

t.test('the executor of an instance that was onboarded here is reached with the key of its kit', async (t) => {
  const { origin } = await startTarget(t, respondWithJson({ count: 3 }));
  const testWorkspace = createWorkspace(t, origin, { 'a.md': text });
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop', ports.onboarded);
  const executor = await controlPlane.startExecutor('shop', origin);
  const { key } = await startDirectRuns(t, testWorkspace, executor, ports.onboarded);
  // Its container writes no key for this user.
  removeDirectRunKey(testWorkspace.paths, ports.onboarded);
  const line = ['run', '--direct', 'a.md'];
  t.match(await controlPlane.vp(line), { code: 4, stderr: /RUN_EXECUTOR_UNREACHABLE/ });
  writeOnboardedKit(testWorkspace.paths, { instance_id: 'shop', directKey: key });
  t.match(await controlPlane.vp(line), { code: 0, stdout: /passed/ });
});

t.test('a busy executor refuses', async (t) => {
  let answer = (): void => {};
  const { origin, arrived } = await startTarget(t, (request, response, arrival) => {
    answer = () => respondWithJson({ count: 3 })(request, response, arrival);
  });
  const testWorkspace = createWorkspace(t, origin, { 'a.md': text });
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop', ports.busy);
  await startDirectRuns(t, testWorkspace, await controlPlane.startExecutor('shop', origin), ports.busy);
  const queued = controlPlane.vp(['run', 'a.md']);
  await eventually(() => arrived.length > 0);
  const refused = await controlPlane.vp(['run', '--direct', 'a.md']);
  t.match(refused, {
    code: 3,
    stdout: '',
    stderr: /the executor is busy with run \d{8}T\d{9} \(EXECUTOR_BUSY\)\n.*queues it/,
  });
  answer();
  t.equal((await queued).code, 0);
});

t.test('a missing executor, or one without a port, is reported', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9', { 'a.md': text });
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop', ports.absent);
  const absent = ['run', '--direct', 'a.md', '--instance', 'shop'];
  t.match(
    await controlPlane.vp(absent),
    { code: 4, stderr: /no executor that this user has started/ },
    'it is not on this machine',
  );
  writeDirectRunKey(testWorkspace.paths, ports.absent, 'vpd_x');
  t.match(await controlPlane.vp(absent), { code: 4, stderr: /RUN_EXECUTOR_UNREACHABLE[\s\S]*--direct/ });
  await controlPlane.registerInstance('other');
  t.match(await controlPlane.vp(['run', '--direct', 'a.md', '--instance', 'other']), {
    code: 2,
    stderr: 'RUN_EXECUTOR_PORT_UNKNOWN',
  });
});
