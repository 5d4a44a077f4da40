import t from 'tap';
import { waitForRun } from '../../src/client/wait-for-run.ts';
import type { RunDocument } from '../../src/contract/api.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { aScenario } from '../control/a-report.ts';
import { register, served } from '../server/served.ts';
import { clientOf } from './client-of.ts';

const unreachable = () => vpError('CONTROL_PLANE_UNREACHABLE', { url: 'http://x', problem: 'nothing listens there' });

/** A client whose answers are given, one for each call. */
async function scripted(t: Parameters<typeof served>[0], answers: (Partial<RunDocument> | Error)[]) {
  const { runs } = clientOf(await served(t));
  const pauses: number[] = [];
  const waits: (number | undefined)[] = [];
  const get: typeof runs.get = async (_runId, more) => {
    waits.push(more?.waitMs);
    const answer = answers.shift() ?? unreachable();
    if (answer instanceof Error) throw answer;
    const run: RunDocument = JSON.parse(JSON.stringify(answer));
    return run;
  };
  const pause = async (delayMs: number): Promise<void> => void pauses.push(delayMs);
  return { client: { runs: { ...runs, get }, pause }, pauses, waits };
}

t.test('polls follow each other until the run is final, each told', async (t) => {
  const { client, waits, pauses } = await scripted(t, [
    { state: 'queued' },
    { state: 'in_progress' },
    { state: 'failed' },
  ]);
  const seen: string[] = [];
  const run = await waitForRun(client, 'r', { pollMs: 500, onRun: ({ state }) => seen.push(state) });
  t.equal(run.state, 'failed');
  t.same(seen, ['queued', 'in_progress', 'failed']);
  t.same(waits, [500, 500, 500]);
  t.same(pauses, []);
});

t.test('a restart of the control plane is waited out', async (t) => {
  const away = [unreachable(), vpError('SHUTTING_DOWN', {}), unreachable()];
  const { client, pauses } = await scripted(t, [{ state: 'queued' }, ...away, { state: 'passed' }]);
  const problems: string[] = [];
  const run = await waitForRun(client, 'r', { onProblem: ({ code }) => problems.push(code) });
  t.equal(run.state, 'passed');
  t.same(problems, ['CONTROL_PLANE_UNREACHABLE', 'SHUTTING_DOWN', 'CONTROL_PLANE_UNREACHABLE']);
  t.same(pauses, [200, 400, 800]);
});

t.test('a control plane that stays away is given up', async (t) => {
  const { client, pauses } = await scripted(t, []);
  await t.rejects(waitForRun(client, 'r', { attempts: 6 }), { code: 'CONTROL_PLANE_UNREACHABLE' });
  t.same(pauses, [200, 400, 800, 1600, 2000, 2000]);
});

t.test('a refusal is thrown at once', async (t) => {
  const client = clientOf(await served(t));
  await t.rejects(waitForRun(client, '20260101T000000000'), { code: 'RUN_UNKNOWN' });
});

t.test('a caller who stops waiting gets its own reason', async (t) => {
  const api = await served(t);
  await register(api);
  const client = clientOf(api);
  const [run] = await client.runs.request('sign-dev', { scenarios: [{ text: aScenario() }] });
  const leaving = new AbortController();
  const waiting = waitForRun(client, run?.run_id ?? '', { signal: leaving.signal });
  setTimeout(() => leaving.abort(new Error('Ctrl-C')), 20);
  await t.rejects(waiting, { message: 'Ctrl-C' });
});
