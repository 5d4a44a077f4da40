/** `vp run` through a real control plane and a real executor. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Clock, systemClock } from '../../../src/environment/clock.ts';
import { eventually } from '../../eventually.ts';
import { findFreePort } from '../../free-port.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane, type TestControlPlane } from '../test-control-plane.ts';
import {
  createWorkspace,
  firstCheckLine,
  type RunningCommand,
  scenarioText,
  startTarget,
  type Workspace,
} from '../test-workspace.ts';

const passing = scenarioText('RT-GET-document', {
  checks: ['status=200', 'body has count equals 3'],
  tags: 'http, smoke',
});
const failing = scenarioText('RT-GET-folder', { checks: ['status=200', 'body has count matching ^9$'] });

/** An instance `shop` with two scenarios and, by default, its executor. */
async function startShop(
  t: Test,
  { executor = true } = {},
): Promise<{ testWorkspace: Workspace; controlPlane: TestControlPlane }> {
  const { origin } = await startTarget(t, respondWithJson({ data: [], count: 3 }));
  const testWorkspace = createWorkspace(t, origin);
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.writeScenario('shop', 'RT-GET-document', passing);
  await controlPlane.writeScenario('shop', 'RT-GET-folder', failing);
  if (executor) await controlPlane.startExecutor('shop', origin);
  return { testWorkspace, controlPlane };
}

/** Pauses between attempts take 1 ms. */
const fastClock: Clock = { ...systemClock, sleep: (_delayMs, signal) => systemClock.sleep(1, signal) };

t.test('an ID of the catalogue is run by the instance’s executor and its report is shown', async (t) => {
  const { controlPlane } = await startShop(t);
  const passed = await controlPlane.vp(['run', 'RT-GET-document']);
  t.match(passed, { code: 0, stderr: '' });
  t.match(passed.stdout, /^✓ RT-GET-document {2}passed {2}status 200 · 1 body check · .*\n1 run: 1 passed in /);
  const failed = await controlPlane.vp(['run', 'RT-GET-folder', 'RT-GET-document']);
  t.equal(failed.code, 1);
  t.match(failed.stdout, `shop/RT-GET-folder@1:${firstCheckLine + 1}:3`);
  t.match(
    failed.stdout,
    /\| - body has count matching \^9\$\n +\| {3}\^{27}\n[\s\S]*actual +3\n[\s\S]*> {3}"count": 3/,
  );
  t.match(failed.stdout, '2 runs: 1 passed, 1 failed in ');
});

t.test('a file is sent as text, and its path is shown', async (t) => {
  const { testWorkspace, controlPlane } = await startShop(t);
  testWorkspace.write('mine/new.md', failing.replaceAll('RT-GET-folder', 'RT-new'));
  const { code, stdout } = await controlPlane.vp(['run', 'mine', 'RT-GET-document']);
  t.equal(code, 1);
  t.match(stdout, `mine/new.md:${firstCheckLine + 1}:3`);
  const { items } = await controlPlane.control.runs.list({ instance: 'shop' }, { limit: 10 });
  t.same(
    items.map(({ scenario_id, revision }) => [scenario_id, revision]),
    [
      ['RT-GET-document', 1],
      ['RT-new', null],
    ],
  );
});

t.test('--tag chooses from the catalogue', async (t) => {
  const { controlPlane } = await startShop(t);
  const { code, stdout } = await controlPlane.vp(['run', '--json', '--tag', 'smoke']);
  t.equal(code, 0);
  t.match(JSON.parse(stdout), {
    summary: { total: 1, passed: 1, exit_code: 0 },
    runs: [{ outcome: 'passed', instance: 'shop', origin: 'queue', scenario: { id: 'RT-GET-document', revision: 1 } }],
    unfinished: [],
  });
  t.match(await controlPlane.vp(['run', '--tag', 'smok']), { code: 2, stderr: /RUN_TAG_UNKNOWN.*\n.*http, smoke/ });
  t.match(
    await controlPlane.vp(['run', '--tag', 'smoke', '--tag', 'htp']),
    { code: 2, stdout: '', stderr: /has the tag htp \(RUN_TAG_UNKNOWN\)/ },
    'one that is mistyped among others',
  );
});

t.test('an unknown ID, a bad file and a bad placeholder are refused before anything runs', async (t) => {
  const { testWorkspace, controlPlane } = await startShop(t);
  t.match(await controlPlane.vp(['run', 'RT-GET-documnt']), { code: 2, stderr: /SCENARIO_UNKNOWN/ });
  t.match((await controlPlane.vp(['run', 'RT-GET-documnt'])).stderr, 'did you mean RT-GET-document?');
  testWorkspace.write('bad.md', passing.replace('status=200', 'statsu=200'));
  t.match(await controlPlane.vp(['run', 'bad.md']), { code: 2, stderr: `bad.md:${firstCheckLine}:3: error` });
  testWorkspace.write('secret.md', passing.replace('/api/v2/document', '/${API_TOKEN}'));
  t.match(await controlPlane.vp(['run', 'secret.md']), { code: 2, stderr: /SCENARIO_REFUSED[\s\S]*API_TOKEN/ });
  t.equal((await controlPlane.control.runs.list({}, { limit: 10 })).items.length, 0);
});

t.test('the instance is the only one, or the named one', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  t.match(await controlPlane.vp(['run', 'RT-a']), { code: 2, stderr: /INSTANCE_NONE[\s\S]*vp instances create/ });
  await controlPlane.registerInstance('shop');
  t.match(await controlPlane.vp(['run', 'RT-a']), { code: 2, stderr: 'instance shop has no scenario RT-a' });
  await controlPlane.registerInstance('signing');
  t.match(await controlPlane.vp(['run', 'RT-a']), {
    code: 2,
    stderr: /there are 2 instances[\s\S]*INSTANCE_AMBIGUOUS[\s\S]*shop, signing/,
  });
  t.match(await controlPlane.vp(['run', 'RT-a', '--instance', 'signing']), {
    code: 2,
    stderr: 'instance signing has no',
  });
  t.match(await controlPlane.vp(['run', 'RT-a', '--instance', 'shp']), { code: 2, stderr: /INSTANCE_UNKNOWN/ });
});

t.test('an unreachable control plane is reported with a fix, and exits 4', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const { code, stderr } = await testWorkspace.vp(['run', 'RT-a', '--control-plane', url], {
    variables: { VP_TOKEN: 'vpo_x' },
  });
  t.equal(code, 4);
  t.match(stderr, /CONTROL_PLANE_UNREACHABLE[\s\S]*vp serve/);
  for (const address of ['nonsense', 'ftp://x', 'http://u:p@127.0.0.1', 'http://127.0.0.1/?x']) {
    t.match(
      await testWorkspace.vp(['run', 'RT-a', '--control-plane', address]),
      { code: 2, stderr: 'FLAG_INVALID' },
      address,
    );
  }
  const elsewhere = await testWorkspace.vp(['run', 'RT-a', '--control-plane', 'http://vp.example.com']);
  t.match(elsewhere, { code: 2, stderr: 'CREDENTIAL_IN_CLEAR' });
});

t.test('an unknown credential is refused', async (t) => {
  const { controlPlane } = await startShop(t, { executor: false });
  const refused = await controlPlane.vp(['run', 'RT-GET-document'], {
    variables: { VP_TOKEN: `vpo_${'x'.repeat(43)}` },
  });
  t.match(refused, { code: 2, stderr: 'CREDENTIAL_INVALID' });
});

t.test('a repetition is requested at once and summarised', async (t) => {
  const { controlPlane } = await startShop(t);
  const { code, stdout } = await controlPlane.vp(['run', 'RT-GET-document', 'RT-GET-folder', '--repeat', '15']);
  t.equal(code, 1);
  t.match(stdout, /30 runs: 15 passed, 15 failed in .*\n[\d,]+ runs\/s · p50 /);
  t.equal(stdout.match(/✕ RT-GET-folder/g)?.length, 10);
});

t.test('a run that was cancelled in the queue has no report and is not green', async (t) => {
  const { controlPlane, testWorkspace } = await startShop(t, { executor: false });
  const waiting = controlPlane.start(['run', 'RT-GET-document', '--json', '--report', 'markdown=vp.md']);
  await eventually(async () => (await controlPlane.control.runs.list({}, { limit: 1 })).items.length === 1);
  const [run] = (await controlPlane.control.runs.list({}, { limit: 1 })).items;
  await controlPlane.control.runs.cancel(run?.run_id ?? '');
  t.equal(await waiting.ended, 4);
  t.match(JSON.parse(waiting.written.stdout), { summary: { total: 1, cancelled: 1, exit_code: 4 }, runs: [] });
  t.match(
    readFileSync(join(testWorkspace.folder, 'vp.md'), 'utf8'),
    /^### ❌ 1 of 1 run did not pass\n[\s\S]*cancelled before it started/,
  );
});

/** Waits until two runs are queued. */
async function startWithTwoQueued(controlPlane: TestControlPlane): Promise<RunningCommand> {
  const waiting = controlPlane.start(['run', 'RT-GET-document', 'RT-GET-folder', '--report', 'json=r.json'], {
    clock: fastClock,
  });
  await eventually(async () => (await controlPlane.control.runs.list({}, { limit: 5 })).items.length === 2);
  return waiting;
}

t.test('Ctrl-C stops waiting, shows how to see the rest and does not cancel the runs', async (t) => {
  const { testWorkspace, controlPlane } = await startShop(t, { executor: false });
  const { ended, written, interrupt } = await startWithTwoQueued(controlPlane);
  interrupt();
  t.equal(await ended, 130);
  const runs = (await controlPlane.control.runs.list({}, { limit: 5 })).items;
  for (const { run_id, state } of runs) {
    t.equal(state, 'queued');
    t.match(written.stdout, `see it with \`vp runs show ${run_id} --control-plane ${controlPlane.url}\``);
  }
  t.match(written.stdout, '2 runs: 2 not finished');
  t.match(written.stderr, 'the executor of shop was never connected; runs wait until it is');
  t.match(JSON.parse(readFileSync(join(testWorkspace.folder, 'r.json'), 'utf8')).summary, { total: 2, unfinished: 2 });
});

t.test('a control plane that becomes unreachable is reported with the run ids, and retried', async (t) => {
  const { testWorkspace, controlPlane } = await startShop(t, { executor: false });
  const { ended, written } = await startWithTwoQueued(controlPlane);
  const runs = (await controlPlane.control.runs.list({}, { limit: 5 })).items;
  await controlPlane.stop();
  t.equal(await ended, 4);
  t.match(written.stderr, /cannot be reached.*retrying for about a minute\n/);
  for (const { run_id } of runs) t.match(written.stderr, run_id);
  t.match(written.stderr, /2 runs are no longer waited for[\s\S]*RUN_WAIT_LOST[\s\S]*vp runs/);
  t.match(written.stdout, '2 runs: 2 not finished');
  t.match(JSON.parse(readFileSync(join(testWorkspace.folder, 'r.json'), 'utf8')).unfinished, [{ state: 'queued' }, {}]);
  await controlPlane.restart();
});

t.test('waiting continues when the control plane comes back', async (t) => {
  const { testWorkspace, controlPlane } = await startShop(t, { executor: false });
  const { origin } = await startTarget(t, respondWithJson({ data: [], count: 3 }));
  const slow: Clock = { ...systemClock, sleep: (_delayMs, signal) => systemClock.sleep(20, signal) };
  const { ended, written } = controlPlane.start(['run', 'RT-GET-document'], { clock: slow });
  await eventually(async () => (await controlPlane.control.runs.list({}, { limit: 5 })).items.length === 1);
  await controlPlane.stop();
  await eventually(() => written.stderr.includes('retrying'));
  await controlPlane.restart();
  await controlPlane.startExecutor('shop', origin);
  t.equal(await ended, 0);
  t.match(written.stderr, 'responds again');
  t.match(written.stdout, '1 run: 1 passed');
  t.ok(testWorkspace.folder);
});
