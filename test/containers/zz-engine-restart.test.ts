/**
 * The container engine itself is restarted: the stack of an instance recovers by itself, and no requested run is lost. Last of
 * its folder, because every container of the machine stops with the engine.
 */
import t, { type Test } from 'tap';
import { findEngineProcess } from './engine-process.ts';
import { assertRunPasses, measureUntil, plainScenario, requestRun, waitForRunEnd } from './instance-runs.ts';
import { docker, startTestInstance, type TestInstance } from './test-instance.ts';

async function assertSurvivesEngineRestart(t: Test, instance: TestInstance): Promise<void> {
  const { client, engine, names } = instance;
  const engineControl = findEngineProcess(engine.info.socketFile);
  t.comment(`the engine is run by ${engineControl.manager}`);
  // The database is paused, so that the first run is in progress when the engine stops.
  await docker('pause', names.db);
  const runs: string[] = [];
  for (let count = 0; count < 5; count += 1) runs.push(await requestRun(instance, plainScenario()));
  const [first = ''] = runs;
  await measureUntil(async () => (await client.runs.get(first)).state === 'in_progress', 20);
  const stoppedMs = Date.now();
  await engineControl.stop();
  t.comment(`stopped after ${Date.now() - stoppedMs} ms`);
  const queuedRun = await requestRun(instance, plainScenario());
  t.match(await client.runs.get(queuedRun), { state: 'queued' }, 'requests are taken meanwhile');
  const sinceMs = Date.now();
  await engineControl.start();
  t.comment(`the engine answers ${Date.now() - sinceMs} ms after its start`);
  for (const run of [...runs, queuedRun]) {
    const { state, failure_kind: kind, report } = await waitForRunEnd(instance, run);
    t.comment(`run ${run}: ${state} ${kind ?? ''}, ${Date.now() - sinceMs} ms after the start`);
    // Runs may find the target not up yet; none stays open, and none is sent twice. The target may still answer the run that was
    // in progress with the error of its broken database connection: that is the application's own response.
    const expected = /^(passed|target_unreachable|timeout|executor_lost)$/;
    const answeredError = run === first && (report?.exchange?.response?.status ?? 0) >= 500;
    t.match(kind ?? 'passed', answeredError ? /^status_mismatch$/ : expected);
  }
  await measureUntil(async () => (await client.instances.get(names.instance)).executor_status === 'REGISTERED', 60);
  const healthy = async (name: string) =>
    (await docker('inspect', '--format', '{{.State.Health.Status}}', name)).trim();
  for (const name of [names.app, names.executor, names.reader])
    await measureUntil(async () => (await healthy(name)) === 'healthy', 90);
  t.comment(`everything is healthy ${Date.now() - sinceMs} ms after the start of the engine`);
  await assertRunPasses(t, instance);
  t.comment(`a run passes, with its log line and its query, ${Date.now() - sinceMs} ms after the start of the engine`);
}

t.test('a restart of the engine', { timeout: 350_000 }, async (t) => {
  const instance = await startTestInstance(t, { name: 'restart', port: 23_764 });
  await assertRunPasses(t, instance);
  await t.test('everything recovers by itself, with every requested run', (t) =>
    assertSurvivesEngineRestart(t, instance),
  );
});
