/** `vp run` through a real control plane and a real executor. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Clock, systemClock } from '../../src/environment/clock.ts';
import { json } from '../targets/http-target.ts';
import { closedPort } from '../targets/raw-target.ts';
import { type Plane, plane } from './plane.ts';
import { firstCheckLine, type Started, scenarioText, target, type Workspace, workspace } from './workspace.ts';

const passing = scenarioText('RT-GET-document', {
  checks: ['status=200', 'body has count equals 3'],
  tags: 'http, smoke',
});
const failing = scenarioText('RT-GET-folder', { checks: ['status=200', 'body has count matching ^9$'] });

/** An instance `shop` with two scenarios and, unless told otherwise, its executor. */
async function shop(t: Test, { executor = true } = {}): Promise<{ here: Workspace; there: Plane }> {
  const { origin } = await target(t, json({ data: [], count: 3 }));
  const here = workspace(t, origin);
  const there = await plane(t, here);
  await there.register('shop');
  await there.put('shop', 'RT-GET-document', passing);
  await there.put('shop', 'RT-GET-folder', failing);
  if (executor) await there.execute('shop', origin);
  return { here, there };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await systemClock.sleep(5);
}

/** Waits between attempts are over at once. */
const hasty: Clock = { ...systemClock, sleep: (_delayMs, signal) => systemClock.sleep(1, signal) };

t.test('an ID of the catalogue is run by the instance’s executor and its report is shown', async (t) => {
  const { there } = await shop(t);
  const passed = await there.vp(['run', 'RT-GET-document']);
  t.match(passed, { code: 0, stderr: '' });
  t.match(passed.stdout, /^✓ RT-GET-document {2}passed {2}status 200 · 1 body check · .*\n1 run: 1 passed in /);
  const failed = await there.vp(['run', 'RT-GET-folder', 'RT-GET-document']);
  t.equal(failed.code, 1);
  t.match(failed.stdout, `shop/RT-GET-folder@1:${firstCheckLine + 1}:3`);
  t.match(
    failed.stdout,
    /\| - body has count matching \^9\$\n +\| {3}\^{27}\n[\s\S]*actual +3\n[\s\S]*> {3}"count": 3/,
  );
  t.match(failed.stdout, '2 runs: 1 passed, 1 failed in ');
});

t.test('a file is sent with its text, and its place is that of the file', async (t) => {
  const { here, there } = await shop(t);
  here.write('mine/new.md', failing.replaceAll('RT-GET-folder', 'RT-new'));
  const { code, stdout } = await there.vp(['run', 'mine', 'RT-GET-document']);
  t.equal(code, 1);
  t.match(stdout, `mine/new.md:${firstCheckLine + 1}:3`);
  const { items } = await there.control.runs.list({ instance: 'shop' }, { limit: 10 });
  t.same(
    items.map(({ scenario_id, revision }) => [scenario_id, revision]),
    [
      ['RT-GET-document', 1],
      ['RT-new', null],
    ],
  );
});

t.test('--tag chooses from the catalogue', async (t) => {
  const { there } = await shop(t);
  const { code, stdout } = await there.vp(['run', '--json', '--tag', 'smoke', '--tag', 'none']);
  t.equal(code, 0);
  t.match(JSON.parse(stdout), {
    summary: { total: 1, passed: 1, exit_code: 0 },
    runs: [{ outcome: 'passed', instance: 'shop', origin: 'queue', scenario: { id: 'RT-GET-document', revision: 1 } }],
    unfinished: [],
  });
  t.match(await there.vp(['run', '--tag', 'smok']), { code: 2, stderr: /RUN_TAG_UNKNOWN.*\n.*http, smoke/ });
});

t.test('an unknown ID, a bad file and a bad placeholder are refused before anything runs', async (t) => {
  const { here, there } = await shop(t);
  t.match(await there.vp(['run', 'RT-GET-documnt']), { code: 2, stderr: /SCENARIO_UNKNOWN/ });
  t.match((await there.vp(['run', 'RT-GET-documnt'])).stderr, 'did you mean RT-GET-document?');
  here.write('bad.md', passing.replace('status=200', 'statsu=200'));
  t.match(await there.vp(['run', 'bad.md']), { code: 2, stderr: `bad.md:${firstCheckLine}:3: error` });
  here.write('secret.md', passing.replace('/api/v2/document', '/${API_TOKEN}'));
  t.match(await there.vp(['run', 'secret.md']), { code: 2, stderr: /SCENARIO_REFUSED[\s\S]*API_TOKEN/ });
  t.equal((await there.control.runs.list({}, { limit: 10 })).items.length, 0);
});

t.test('the instance is the only one there is, or the one that is named', async (t) => {
  const here = workspace(t, 'http://127.0.0.1:9');
  const there = await plane(t, here);
  t.match(await there.vp(['run', 'RT-a']), { code: 2, stderr: /INSTANCE_NONE[\s\S]*vp instances create/ });
  await there.register('shop');
  t.match(await there.vp(['run', 'RT-a']), { code: 2, stderr: 'instance shop has no scenario RT-a' });
  await there.register('signing');
  t.match(await there.vp(['run', 'RT-a']), {
    code: 2,
    stderr: /there are 2 instances[\s\S]*INSTANCE_AMBIGUOUS[\s\S]*shop, signing/,
  });
  t.match(await there.vp(['run', 'RT-a', '--instance', 'signing']), { code: 2, stderr: 'instance signing has no' });
  t.match(await there.vp(['run', 'RT-a', '--instance', 'shp']), { code: 2, stderr: /INSTANCE_UNKNOWN/ });
});

t.test('a control plane that is not there is told with what to do, and exits 4', async (t) => {
  const here = workspace(t, 'http://127.0.0.1:9');
  const url = `http://127.0.0.1:${await closedPort()}`;
  const { code, stderr } = await here.vp(['run', 'RT-a', '--control-plane', url], { variables: { VP_TOKEN: 'vpo_x' } });
  t.equal(code, 4);
  t.match(stderr, /CONTROL_PLANE_UNREACHABLE[\s\S]*vp serve/);
  for (const address of ['nonsense', 'ftp://x', 'http://u:p@127.0.0.1', 'http://127.0.0.1/?x']) {
    t.match(await here.vp(['run', 'RT-a', '--control-plane', address]), { code: 2, stderr: 'FLAG_INVALID' }, address);
  }
  const elsewhere = await here.vp(['run', 'RT-a', '--control-plane', 'http://vp.example.com']);
  t.match(elsewhere, { code: 2, stderr: 'CREDENTIAL_IN_CLEAR' });
});

t.test('a credential that is not known is refused', async (t) => {
  const { there } = await shop(t, { executor: false });
  const refused = await there.vp(['run', 'RT-GET-document'], { variables: { VP_TOKEN: `vpo_${'x'.repeat(43)}` } });
  t.match(refused, { code: 2, stderr: 'CREDENTIAL_INVALID' });
});

t.test('a repetition is requested at once and told as a summary', async (t) => {
  const { there } = await shop(t);
  const { code, stdout } = await there.vp(['run', 'RT-GET-document', 'RT-GET-folder', '--repeat', '15']);
  t.equal(code, 1);
  t.match(stdout, /30 runs: 15 passed, 15 failed in .*\n[\d,]+ runs\/s · p50 /);
  t.equal(stdout.match(/✕ RT-GET-folder/g)?.length, 10);
});

t.test('a run that was cancelled in the queue has no report and is not green', async (t) => {
  const { there } = await shop(t, { executor: false });
  const waiting = there.start(['run', 'RT-GET-document', '--json']);
  await until(async () => (await there.control.runs.list({}, { limit: 1 })).items.length === 1);
  const [run] = (await there.control.runs.list({}, { limit: 1 })).items;
  await there.control.runs.cancel(run?.run_id ?? '');
  t.equal(await waiting.ended, 4);
  t.match(JSON.parse(waiting.written.stdout), { summary: { total: 1, cancelled: 1, exit_code: 4 }, runs: [] });
});

/** Waits until two runs are queued. */
async function twoQueued(there: Plane): Promise<Started> {
  const waiting = there.start(['run', 'RT-GET-document', 'RT-GET-folder', '--report', 'json=r.json'], { clock: hasty });
  await until(async () => (await there.control.runs.list({}, { limit: 5 })).items.length === 2);
  return waiting;
}

t.test('Ctrl-C stops waiting, says how to see the rest and leaves the runs alone', async (t) => {
  const { here, there } = await shop(t, { executor: false });
  const { ended, written, interrupt } = await twoQueued(there);
  interrupt();
  t.equal(await ended, 130);
  const runs = (await there.control.runs.list({}, { limit: 5 })).items;
  for (const { run_id, state } of runs) {
    t.equal(state, 'queued');
    t.match(written.stdout, `see it with \`vp runs show ${run_id} --control-plane ${there.url}\``);
  }
  t.match(written.stdout, '2 runs: 2 not finished');
  t.match(written.stderr, 'the executor of shop has never called; runs wait until it does');
  t.match(JSON.parse(readFileSync(join(here.folder, 'r.json'), 'utf8')).summary, { total: 2, unfinished: 2 });
});

t.test('a control plane that goes away while runs are waited for is told, with the ids, and asked again', async (t) => {
  const { here, there } = await shop(t, { executor: false });
  const { ended, written } = await twoQueued(there);
  const runs = (await there.control.runs.list({}, { limit: 5 })).items;
  await there.stop();
  t.equal(await ended, 4);
  t.match(written.stderr, /cannot be reached.*asking again for about a minute\n/);
  for (const { run_id } of runs) t.match(written.stderr, run_id);
  t.match(written.stderr, /2 runs are not waited for any longer[\s\S]*RUN_WAIT_LOST[\s\S]*vp runs/);
  t.match(written.stdout, '2 runs: 2 not finished');
  t.match(JSON.parse(readFileSync(join(here.folder, 'r.json'), 'utf8')).unfinished, [{ state: 'queued' }, {}]);
  await there.restart();
});

t.test('a control plane that comes back is waited for to the end', async (t) => {
  const { here, there } = await shop(t, { executor: false });
  const { origin } = await target(t, json({ data: [], count: 3 }));
  const slow: Clock = { ...systemClock, sleep: (_delayMs, signal) => systemClock.sleep(20, signal) };
  const { ended, written } = there.start(['run', 'RT-GET-document'], { clock: slow });
  await until(async () => (await there.control.runs.list({}, { limit: 5 })).items.length === 1);
  await there.stop();
  await until(() => written.stderr.includes('asking again'));
  await there.restart();
  await there.execute('shop', origin);
  t.equal(await ended, 0);
  t.match(written.stderr, 'answers again');
  t.match(written.stdout, '1 run: 1 passed');
  t.ok(here.folder);
});
