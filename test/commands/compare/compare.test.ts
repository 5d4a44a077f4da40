/** `vp compare`, on a real control plane with an executor. */
import t from 'tap';
import { parseSide } from '../../../src/commands/compare/compare.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

t.test('the two newest versions are compared, and something newly failing is exit code 1', async (t) => {
  const answer = { count: 3 };
  const { origin } = await startTarget(t, (...call) => respondWithJson(answer)(...call));
  const workspace = createWorkspace(t, origin, {
    'a.md': scenarioText('RT-a', { checks: ['status=200'] }),
    'b.md': scenarioText('RT-b', { checks: ['status=200', 'body has count equals 3'] }),
  });
  const controlPlane = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.startExecutor('shop', origin);
  const run = (version: string) =>
    controlPlane.vp(['run', '--instance', 'shop', 'a.md', 'b.md', '--target-version', version]);
  const early = await controlPlane.vp(['compare', '--json']);
  t.match(JSON.parse(early.stdout), { error: { code: 'COMPARISON_VERSIONS_MISSING', exit_code: 2 } });
  t.match(await controlPlane.vp(['compare', '--list']), { code: 0, stdout: /no run of shop names the version/ });
  await run('1.0');
  answer.count = 4;
  await run('1.1');
  const { code, stdout } = await controlPlane.vp(['compare']);
  t.equal(code, 1);
  t.match(stdout, /^base {2}1\.0, .*, 2 runs\nhead {2}1\.1, .*, 2 runs\n1 newly failing, 1 unchanged\n/);
  t.match(stdout, /RT-b +newly failing +1 of 1 passed +0 of 1 passed/);
  t.notMatch(stdout, /RT-a/);
  t.match((await controlPlane.vp(['compare', '1.1', '1.0', '--all'])).stdout, /RT-b +fixed[\s\S]*RT-a +unchanged/);
  const json = JSON.parse((await controlPlane.vp(['compare', '--json'])).stdout);
  t.match(json, { comparison: { totals: { newly_failing: 1 } } });
  t.match(await controlPlane.vp(['compare', '1d..', '1d..']), { code: 0, stdout: /1 flaky/ });
  t.match((await controlPlane.vp(['compare', '--list'])).stdout, /^VERSION +PASSED[^\n]*\n1\.1 +1 +1 .*\n1\.0 +2 +0 /);
  t.match(await controlPlane.vp(['compare', '9', '1.0']), {
    code: 2,
    stderr: /no run of shop of the version 9 has passed or failed/,
  });
  t.match(await controlPlane.vp(['compare', '1.0']), { code: 2, stderr: /name both/ });
});

t.test('two branches are compared', async (t) => {
  const answer = { count: 3 };
  const { origin } = await startTarget(t, (...call) => respondWithJson(answer)(...call));
  const text = scenarioText('RT-b', { checks: ['status=200', 'body has count equals 3'] });
  const controlPlane = await startTestControlPlane(t, createWorkspace(t, origin, { 'b.md': text }));
  await controlPlane.registerInstance('shop');
  await controlPlane.startExecutor('shop', origin);
  const run = (branch: string) => controlPlane.vp(['run', 'b.md', '--branch', branch]);
  await run('main');
  answer.count = 4;
  await run('feature/..x');
  t.match(await controlPlane.vp(['compare', 'branch:main', 'branch:feature/..x']), {
    ...{ code: 1, stdout: /^base {2}branch main, .*, 1 run\nhead {2}branch feature\/\.\.x, .*\n1 newly failing\n/ },
  });
  t.match(await controlPlane.vp(['compare', 'branch:man', 'branch:main']), {
    ...{ code: 2, stderr: /no run of shop of the branch man has passed or failed/ },
  });
});

t.test('a side is a version, a branch or a period', async (t) => {
  const nowMs = Date.parse('2026-11-20T00:00:00Z');
  t.same(parseSide('2.4.1', nowMs), { version: '2.4.1' });
  t.same(parseSide('branch:a..b', nowMs), { branch: 'a..b' });
  t.same(parseSide('14d..7d', nowMs), { since: '2026-11-06T00:00:00.000Z', until: '2026-11-13T00:00:00.000Z' });
  t.same(parseSide('7d..now', nowMs), { since: '2026-11-13T00:00:00.000Z', until: undefined });
  t.throws(() => parseSide('', nowMs), { code: 'FLAG_INVALID' });
});

t.test('a version that could not be judged, or has nothing in common with the other, is exit code 4', async (t) => {
  let isDown = false;
  const { origin } = await startTarget(t, (request, response, arrived) => {
    if (isDown) return void request.socket.destroy();
    return respondWithJson({ count: 3 })(request, response, arrived);
  });
  const workspace = createWorkspace(t, origin, {
    'a.md': scenarioText('RT-a'),
    'b.md': scenarioText('RT-b'),
    'c.md': scenarioText('RT-c', { checks: ['status=404'] }),
  });
  const controlPlane = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.startExecutor('shop', origin);
  const { vp } = controlPlane;
  const run = (version: string, ...files: readonly string[]) =>
    vp(['run', '--instance', 'shop', ...files, '--target-version', version]);
  await run('1.0', 'a.md');
  await run('1.1', 'b.md');
  t.match(await vp(['compare', '1.0', '1.1']), { code: 4, stdout: /no scenario was judged on both sides\n/ });
  t.equal((await vp(['compare', '1.0', '1.1', '--json'])).code, 4);

  await run('1.2', 'a.md', 'c.md');
  t.match(await vp(['compare', '1.0', '1.2']), { code: 1, stdout: /RT-c +added, failing +not run +0 of 1 passed/ });

  isDown = true;
  await run('1.3', 'a.md', 'b.md');
  t.match(await vp(['compare', '1.2', '1.3']), { code: 4, stdout: /RT-a +could not be judged/ });
  isDown = false;
  await run('1.4', 'a.md', 'b.md');
  isDown = true;
  await run('1.5', 'a.md');
  isDown = false;
  await run('1.5', 'b.md');
  t.match(await vp(['compare', '1.4', '1.5']), {
    code: 4,
    stdout: /not known, as no run could be judged: RT-a\n/,
  });
  await vp(['scenarios', 'push', 'a.md', '--instance', 'shop']);
  const quarantine = ['scenarios', 'quarantine', 'RT-a', '--reason', 'its server moves', '--until', '3d'];
  t.match(await vp([...quarantine, '--instance', 'shop']), { code: 0 });
  isDown = true;
  await run('1.6', 'a.md');
  isDown = false;
  await run('1.6', 'b.md');
  t.match(await vp(['compare', '1.4', '1.6']), { code: 0, stdout: /could not be judged, in quarantine/ });
});
