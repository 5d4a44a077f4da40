/** `--fail-fast` and `--max-time`, locally and through the queue: what was left out is said, and the exit code is not 0. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

const answer = respondWithJson({ count: 3 });
const failing = { checks: ['status=200', 'body has count equals 9'] };
const files = {
  'test/scenarios/a.md': scenarioText('RT-a'),
  'test/scenarios/b.md': scenarioText('RT-b', failing),
  'test/scenarios/c.md': scenarioText('RT-c'),
  'test/scenarios/d.md': scenarioText('RT-d'),
};

t.test('--fail-fast starts nothing after the first run that did not pass', async (t) => {
  const { origin, arrived } = await startTarget(t, answer);
  const { vp, folder } = createWorkspace(t, origin, files);
  const { code, stdout } = await vp(['run', '--local', '--fail-fast', '--report', 'junit=r.xml']);
  t.equal(code, 1);
  t.equal(arrived.length, 2);
  t.match(stdout, /… RT-c {2}not run {2}--fail-fast: RT-b did not pass\n/);
  t.match(
    stdout,
    /\n4 runs: 1 passed, 1 failed, 2 not run in .*\nstopped by --fail-fast, because RT-b did not pass: 2 runs were left out\n$/,
  );
  t.match(readFileSync(join(folder, 'r.xml'), 'utf8'), 'tests="4" failures="1"');

  const asJson = JSON.parse((await vp(['run', '--local', '--fail-fast', '--json'])).stdout);
  t.match(asJson.summary, { total: 4, passed: 1, failed: 1, unfinished: 2, exit_code: 1 });
  t.match(asJson.stopped, { flag: '--fail-fast' });
  t.match(asJson.unfinished, [{ scenario_id: 'RT-c', state: 'not_requested' }, { scenario_id: 'RT-d' }]);
});

t.test('--max-time ends runs at a target that hangs', async (t) => {
  const { origin } = await startTarget(t, () => {});
  const { vp } = createWorkspace(t, origin, files);
  const { code, stdout } = await vp(['run', '--local', '--max-time', '1s']);
  t.equal(code, 4);
  t.match(stdout, /- RT-a {2}cancelled/, 'its own limit of 5 s was not waited for');
  t.match(stdout, /… RT-b {2}not run {2}--max-time: 1s have passed\n/);
  t.match(
    stdout,
    /4 runs: 1 cancelled, 3 not run in .*\nstopped by --max-time, because 1s have passed: 3 runs were left out\n$/,
  );
});

t.test('--max-time changes nothing when everything ends before it', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp } = createWorkspace(t, origin, { 'a.md': scenarioText('RT-a') });
  t.match(await vp(['run', '--local', 'a.md', '--max-time', '1h']), { code: 0, stdout: /1 run: 1 passed in .*\n$/ });
});

t.test('a duration is a number with a unit', async (t) => {
  const { vp } = createWorkspace(t, 'http://127.0.0.1:9', files);
  for (const wrong of ['0s', '10', 'soon', '1.5m', '-1s']) {
    const result = await vp(['run', '--local', `--max-time=${wrong}`]);
    t.match(result, { code: 2, stderr: /--max-time must be a duration such as 30s.*FLAG_INVALID/s }, wrong);
  }
});

t.test('through the queue --fail-fast takes back the runs that have not started', async (t) => {
  const { origin, arrived } = await startTarget(t, async (request, response, arrival) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    answer(request, response, arrival);
  });
  const { controlPlane } = await startShop(t, origin);
  await controlPlane.startExecutor('shop', origin);
  const { code, stdout } = await controlPlane.vp(['run', 'test/scenarios', '--fail-fast', '--repeat', '5', '--json']);
  t.equal(code, 1);
  const { summary, unfinished, stopped } = JSON.parse(stdout);
  t.match(stopped, { flag: '--fail-fast', reason: 'RT-b did not pass' });
  t.equal(summary.total, 20);
  t.ok(unfinished.length >= 15, `${unfinished.length} were left out`);
  t.ok(unfinished.every(({ state }: { state: string }) => state === 'cancelled'));
  t.ok(arrived.length <= 5, `${arrived.length} were sent`);
  const open = await controlPlane.control.runs.list({ states: ['queued', 'in_progress'] }, { limit: 5 });
  t.same(open.items, [], 'nothing of it runs later');
});

t.test('--max-time cancels what waits for an executor that is offline, and exits 4', async (t) => {
  const { controlPlane } = await startShop(t, 'http://127.0.0.1:9');
  const { code, stdout, stderr } = await controlPlane.vp(['run', 'test/scenarios', '--max-time', '1s']);
  t.equal(code, 4);
  t.match(stderr, 'the executor of shop was never connected; runs wait until it is online');
  t.match(stdout, /… RT-a {2}cancelled · \d+T\d+ {2}--max-time: 1s have passed\n/);
  t.match(stdout, /4 runs: 4 not run in .*\nstopped by --max-time, because 1s have passed: 4 runs were left out\n$/);
  t.same((await controlPlane.control.runs.list({ states: ['queued'] }, { limit: 5 })).items, []);
});

t.test('--max-time before anything was requested says so', async (t) => {
  const silent = await startTarget(t, () => {});
  const { vp } = createWorkspace(t, 'http://127.0.0.1:9', files);
  const variables = { VP_TOKEN: 'vpo_x', VP_CONTROL_PLANE: silent.origin };
  const result = await vp(['run', 'RT-a', '--instance', 'shop', '--max-time', '1s'], { variables });
  t.match(result, { code: 4, stderr: /nothing was run: 1s have passed.*RUN_TIME_OVER/s });
});

t.test('an executor that goes offline while runs wait is reported with the time and the fix', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { controlPlane } = await startShop(t, origin, { awayAfterMs: 1000 });
  const role = await controlPlane.startExecutor('shop', origin);
  await controlPlane.vp(['run', 'RT-a']);
  await role.close();
  await eventually(async () => (await controlPlane.control.instances.get('shop')).executor_status === 'AWAY', {
    timeoutMs: 60_000,
  });
  const { stderr } = await controlPlane.vp(['run', 'RT-a', '--max-time', '1s']);
  t.match(
    stderr,
    /the executor of shop has been offline since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(.* ago\); runs wait until it is online/,
  );
  t.match(stderr, `fix: run \`vp doctor --instance shop --fix --control-plane ${controlPlane.url}\``);
  t.match(stderr, `start it with \`vp executor --control-plane ${controlPlane.url}\``);
});

t.test('failures are repeated above the summary of a long output', async (t) => {
  const { origin } = await startTarget(t, answer);
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`test/scenarios/z${index}.md`, scenarioText(`RT-z${index}`)]),
  );
  const { vp } = createWorkspace(t, origin, { ...files, ...many });
  const { stdout } = await vp(['run', '--local']);
  t.match(
    stdout,
    /\ndid not pass\n✕ RT-b {2}test\/scenarios\/b\.md:19 {2}body has count equals 9: expected .*9.*, got 3\n\n64 runs: 63 passed, 1 failed/,
  );
  const short = await vp(['run', '--local', 'RT-a', 'RT-b']);
  t.notMatch(short.stdout, 'did not pass\n');
});

async function startShop(
  t: Parameters<typeof startTarget>[0],
  origin: string,
  settings: Parameters<typeof startTestControlPlane>[2] = {},
) {
  const testWorkspace = createWorkspace(t, origin, files);
  const controlPlane = await startTestControlPlane(t, testWorkspace, settings);
  await controlPlane.registerInstance('shop');
  await controlPlane.writeScenario('shop', 'RT-a', scenarioText('RT-a'));
  return { testWorkspace, controlPlane };
}
