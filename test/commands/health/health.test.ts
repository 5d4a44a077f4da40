/** `vp health`, on a real control plane with an executor. */
import t from 'tap';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

t.test('health is shown for all scenarios, and for each check of one', async (t) => {
  const answer = { count: 3 };
  const { origin } = await startTarget(t, (...call) => respondWithJson(answer)(...call));
  const text = scenarioText('RT-b', { checks: ['status=200', 'body has count equals 3'] });
  const workspace = createWorkspace(t, origin, { 'b.md': text });
  const controlPlane = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  t.match(await controlPlane.vp(['health']), { code: 0, stdout: 'the catalogue of shop is empty\n' });
  await controlPlane.startExecutor('shop', origin);
  await controlPlane.writeScenario('shop', 'RT-b', text);
  for (const count of [3, 4]) {
    answer.count = count;
    await controlPlane.vp(['run', 'RT-b', '--instance', 'shop', '--target-version', '1.0']);
  }
  const { code, stdout } = await controlPlane.vp(['health']);
  t.equal(code, 0);
  t.match(stdout, /^SCENARIO +HEALTH +PASSED +FLIPS +RUNS +REMARK\nRT-b +0% +50% +100% +2 +flaky in 1\.0\n$/);
  const one = await controlPlane.vp(['health', 'RT-b']);
  t.match(one.stdout, /status=200 +100% +100% +0% +2\n.*body has count equals 3 +0% +50% +100% +2\n/);
  t.match(JSON.parse((await controlPlane.vp(['health', '--json'])).stdout), {
    health: { scenarios: [{ flaky: true }] },
  });
  t.match(await controlPlane.vp(['health', 'RT-none']), { code: 2, stderr: /RT-none/ });
});
