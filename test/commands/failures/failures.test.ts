/** `vp failures` and its subcommands, on a real control plane with an executor. */
import t, { type Test } from 'tap';
import { formatDays } from '../../../src/commands/failures/format-failure.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane, type TestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

const failing = scenarioText('RT-b', { checks: ['status=200', 'body has count equals 4'] });

/** Two runs of one failing scenario. */
async function startWithFailure(t: Test): Promise<{ controlPlane: TestControlPlane; id: string }> {
  const { origin } = await startTarget(t, respondWithJson({ count: 3 }));
  const workspace = createWorkspace(t, origin, { 'b.md': failing });
  const controlPlane = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.startExecutor('shop', origin);
  await controlPlane.vp(['run', '--instance', 'shop', 'b.md']);
  await controlPlane.vp(['run', '--instance', 'shop', 'b.md']);
  const { failures } = JSON.parse((await controlPlane.vp(['failures', '--json'])).stdout);
  return { controlPlane, id: failures[0].failure_id };
}

t.test('failures are listed once, with their runs, and shown in detail', async (t) => {
  const { controlPlane, id } = await startWithFailure(t);
  const { code, stdout } = await controlPlane.vp(['failures']);
  t.equal(code, 0);
  const [head = '', line = '', ...others] = stdout.trimEnd().split('\n');
  t.match(head, /^FAILURE +STATE +SCENARIO +RUNS .*LAST RESULT$/);
  t.match(line, new RegExp(`^${id} +failing +RT-b +2 .*body has count equals 4: got 3$`));
  t.same(others, []);
  const details = await controlPlane.vp(['failures', 'show', id]);
  t.match(details.stdout, /^RT-b +failing\n {2}body has count equals 4: got 3\n/);
  t.match(details.stdout, /check +body has count equals 4 \(line \d+\)/);
  t.match(details.stdout, /see what came instead: `vp runs show \d{8}T\d{9}/);
  t.match(JSON.parse((await controlPlane.vp(['failures', 'show', id, '--json'])).stdout), {
    failure: { failure_id: id, runs: 2 },
  });
  t.match(await controlPlane.vp(['failures', 'show', '0123456789abcdef']), { code: 2, stderr: /no failure/ });
  t.match(await controlPlane.vp(['failures', '--limit', '0']), { code: 2 });
  const filtered = await controlPlane.vp(['failures', '--scenario', 'RT-nope', '--assignee', 'Ana']);
  t.match(filtered, { code: 0, stdout: 'no open failures of shop in the scenario RT-nope assigned to Ana\n' });
});

t.test('a failure is resolved, comes back, and is assigned', async (t) => {
  const { controlPlane, id } = await startWithFailure(t);
  const resolved = await controlPlane.vp(['failures', 'resolve', id, '--note', 'fixed in 2.4.1']);
  t.match(resolved, { code: 0, stdout: /is resolved, until a run that starts from now on/ });
  t.match(await controlPlane.vp(['failures']), { code: 0, stdout: 'no open failures of shop\n' });
  await controlPlane.vp(['run', '--instance', 'shop', 'b.md']);
  t.match((await controlPlane.vp(['failures', '--state', 'failing'])).stdout, /failing again +RT-b +3/);
  t.match(await controlPlane.vp(['failures', 'assign', id, 'Ana Lopes']), { stdout: /is assigned to Ana Lopes\n$/ });
  const mine = JSON.parse((await controlPlane.vp(['failures', '--assignee', 'Ana Lopes', '--json'])).stdout);
  t.match(mine, { failures: [{ assignee: 'Ana Lopes', note: 'fixed in 2.4.1' }] });
  t.match(await controlPlane.vp(['failures', 'assign', id, '--remove']), { stdout: /is assigned to nobody\n$/ });
  t.match(await controlPlane.vp(['failures', 'assign', id]), {
    code: 2,
    stderr: /^vp: `vp failures assign` needs <person> or --remove/,
  });
  await controlPlane.vp(['failures', 'resolve', id]);
  t.match(await controlPlane.vp(['failures', 'resolve', id, '--undo']), { stdout: /is open again\n$/ });
});

t.test('days are drawn by their share of the highest', async (t) => {
  t.equal(formatDays([0, 1, 4, 8]), '·▂▅█');
  t.equal(formatDays([0, 0]), '··');
});
