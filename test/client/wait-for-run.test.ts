import t from 'tap';
import { waitForRun } from '../../src/client/wait-for-run.ts';
import type { RunDocument } from '../../src/contract/api.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { createScenarioText } from '../control/report-fixture.ts';
import { registerInstance, startTestServer } from '../server/test-server.ts';
import { createTestClient } from './test-client.ts';

const unreachable = () => vpError('CONTROL_PLANE_UNREACHABLE', { url: 'http://x', problem: 'nothing listens there' });

/** A client whose answers are given, one for each call. */
async function createScriptedClient(
  t: Parameters<typeof startTestServer>[0],
  responses: (Partial<RunDocument> | Error)[],
) {
  const { runs } = createTestClient(await startTestServer(t));
  const pauses: number[] = [];
  const waits: (number | undefined)[] = [];
  const get: typeof runs.get = async (_runId, options) => {
    waits.push(options?.waitMs);
    const response = responses.shift() ?? unreachable();
    if (response instanceof Error) throw response;
    const run: RunDocument = JSON.parse(JSON.stringify(response));
    return run;
  };
  const pause = async (delayMs: number): Promise<void> => void pauses.push(delayMs);
  return { client: { runs: { ...runs, get }, pause }, pauses, waits };
}

t.test('polls are repeated until the run is final, each reported', async (t) => {
  const { client, waits, pauses } = await createScriptedClient(t, [
    { state: 'queued' },
    { state: 'in_progress' },
    { state: 'failed' },
  ]);
  const states: string[] = [];
  const run = await waitForRun(client, 'r', { pollMs: 500, onRun: ({ state }) => states.push(state) });
  t.equal(run.state, 'failed');
  t.same(states, ['queued', 'in_progress', 'failed']);
  t.same(waits, [500, 500, 500]);
  t.same(pauses, []);
});

t.test('waiting continues through a restart of the control plane', async (t) => {
  const outage = [unreachable(), vpError('SHUTTING_DOWN', {}), unreachable()];
  const { client, pauses } = await createScriptedClient(t, [{ state: 'queued' }, ...outage, { state: 'passed' }]);
  const problems: string[] = [];
  const run = await waitForRun(client, 'r', { onProblem: ({ code }) => problems.push(code) });
  t.equal(run.state, 'passed');
  t.same(problems, ['CONTROL_PLANE_UNREACHABLE', 'SHUTTING_DOWN', 'CONTROL_PLANE_UNREACHABLE']);
  t.same(pauses, [200, 400, 800]);
});

t.test('waiting fails when the control plane stays unreachable', async (t) => {
  const { client, pauses } = await createScriptedClient(t, []);
  await t.rejects(waitForRun(client, 'r', { attempts: 6 }), { code: 'CONTROL_PLANE_UNREACHABLE' });
  t.same(pauses, [200, 400, 800, 1600, 2000, 2000]);
});

t.test('a refusal is thrown at once', async (t) => {
  const client = createTestClient(await startTestServer(t));
  await t.rejects(waitForRun(client, '20260101T000000000'), { code: 'RUN_UNKNOWN' });
});

t.test('aborted waiting throws the caller’s reason', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const client = createTestClient(api);
  const [run] = await client.runs.request('sign-dev', { scenarios: [{ text: createScenarioText() }] });
  const controller = new AbortController();
  const waiting = waitForRun(client, run?.run_id ?? '', { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('Ctrl-C')), 20);
  await t.rejects(waiting, { message: 'Ctrl-C' });
});
