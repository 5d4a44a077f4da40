/** `vp suites`, and the flags of `vp run` that retry and divide a selection. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

const checks = ['status=200', 'body has count equals 3'];
const passing = scenarioText('RT-GET-document', { checks, tags: 'smoke' });
const failing = scenarioText('RT-GET-folder', { checks: ['status=200', 'body has count equals 9'], tags: 'smoke' });

async function startShop(t: Test) {
  const { origin } = await startTarget(t, respondWithJson({ data: [], count: 3 }));
  const testWorkspace = createWorkspace(t, origin);
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.writeScenario('shop', 'RT-GET-document', passing);
  await controlPlane.writeScenario('shop', 'RT-GET-folder', failing);
  await controlPlane.startExecutor('shop', origin);
  return { ...controlPlane, testWorkspace };
}

const findSuiteId = (text: string): string => /suite (s\d{8}T\d{9}) · http/.exec(text)?.[1] ?? '';

t.test('a tag is requested as a suite, which is listed, details, reported and run again', async (t) => {
  const { vp, testWorkspace } = await startShop(t);
  t.match((await vp(['suites'])).stdout, 'shop has no suites; request several scenarios at once, such as with `vp run');
  const run = await vp(['run', '--tag', 'smoke', '--branch', 'main', '--commit', '4f2c9e1']);
  t.equal(run.code, 1);
  const id = findSuiteId(run.stdout);
  t.match((await vp(['suites', '--branch', 'main'])).stdout, new RegExp(`${id} .*failed .*smoke .*1 passed, 1 failed`));
  t.match((await vp(['suites', '--branch', 'other'])).stdout, 'no suites of shop of the branch other\n');
  const filtered = await vp(['suites', '--commit', 'ab12cd3', '--schedule', 'nightly']);
  t.match(filtered.stdout, 'no suites of shop with the commit ab12cd3 of the schedule nightly\n');
  const details = await vp(['suites', 'show', id, '--report', 'junit=out/vp.xml', '--exit-status']);
  t.equal(details.code, 1);
  t.match(details.stdout, /branch +main\n +commit +4f2c9e1\n/);
  t.match(details.stdout, `run again what did not pass: \`vp suites rerun ${id}`);
  const xml = readFileSync(join(testWorkspace.folder, 'out/vp.xml'), 'utf8');
  t.match(xml, /<testsuites name="vp" tests="2" failures="1" errors="0"/);
  t.match(xml, '<property name="vp.branch" value="main"/>');
  t.match(await vp(['suites', 'rerun', id]), { code: 0, stdout: /^requested 1 run as suite s/ });
  t.match(JSON.parse((await vp(['suites', 'show', id, '--json'])).stdout), { suite: { outcome: 'failed', flaky: 0 } });
  t.match(await vp(['suites', 'cancel', id]), { code: 0, stdout: 'nothing to cancel: all runs have ended\n' });
  t.match(await vp(['suites', 'show', 's20200101T000000000']), { code: 2, stderr: /SUITE_UNKNOWN/ });
  t.match(await vp(['suites', '--limit', '0']), { code: 2, stderr: /FLAG_INVALID/ });
});

t.test('a run that passes when it is retried makes the suite pass, and the summary says so', async (t) => {
  let requests = 0;
  const { origin } = await startTarget(t, (_request, response) => {
    requests += 1;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ count: requests === 1 ? 0 : 3 }));
  });
  const testWorkspace = createWorkspace(t, origin);
  const { vp, ...controlPlane } = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.writeScenario('shop', 'RT-GET-document', passing);
  await controlPlane.startExecutor('shop', origin);
  const run = await vp(['run', '--tag', 'smoke', '--retry-failed', '2', '--report', 'junit=vp.xml']);
  t.equal(run.code, 0);
  t.match(run.stderr, 'retry 1 of 2: 1 run did not pass');
  t.match(run.stdout, '1 run: 1 passed (1 of them only when retried) in ');
  t.match(readFileSync(join(testWorkspace.folder, 'vp.xml'), 'utf8'), '<property name="vp.attempts" value="2"/>');
  const details = await vp(['suites', 'show', findSuiteId(run.stdout), '--json', '--exit-status']);
  t.match(JSON.parse(details.stdout), { suite: { outcome: 'passed', flaky: 1, counts: { passed: 1 } } });
  t.same(JSON.parse(details.stdout).not_passed, [], 'a run that was replaced does not count');
});

t.test('shards of one pipeline are one suite, whose verdict waits for all of them', async (t) => {
  const { vp } = await startShop(t);
  const shard = async (part: string) => vp(['run', '--tag', 'smoke', '--shard', part, '--shard-key', 'pipeline 7']);
  const first = await shard('1/3');
  t.match(first.stderr, 'shard 1 of 3 has 1 of 2 scenarios');
  const id = findSuiteId(first.stdout);
  t.match(await vp(['suites', 'show', id, '--exit-status']), { stdout: /incomplete/ });
  const others = [await shard('2/3'), await shard('3/3')];
  t.same(
    others.map(({ stdout }) => findSuiteId(stdout)),
    [id, id],
  );
  t.same([first, ...others].map(({ code }) => code).sort(), [0, 0, 1]);
  t.match(others[1]?.stdout, 'nothing to run: the other shards have all scenarios');
  t.match(JSON.parse((await vp(['suites', 'show', id, '--json'])).stdout), {
    suite: { state: 'ended', outcome: 'failed', counts: { passed: 1, failed: 1 }, expected_runs: 2 },
  });
  t.match(await vp(['run', '--tag', 'smoke', '--shard', '1/3']), { code: 2, stderr: /RUN_SHARD_KEY_MISSING/ });
  const fewer = ['run', 'RT-GET-document', '--shard', '1/2', '--shard-key', 'p'];
  t.equal((await vp(fewer)).code, 0);
  t.match(await vp(['run', '--tag', 'smoke', '--shard', '1/4', '--shard-key', 'pipeline 7']), {
    stderr: /SUITE_KEY_DIFFERS/,
  });
  const version = (text: string) =>
    vp(['run', '--tag', 'smoke', '--shard', '1/3', '--shard-key', 'pipeline 7', '--target-version', text]);
  const ids = [await version('2.0'), await version('2.1')].map(({ stdout }) => findSuiteId(stdout));
  t.equal(new Set([id, ...ids]).size, 3, 'each version of the target is a suite of its own');
  for (const part of ['0/2', '3/2', '1', 'x/y', '1/101'])
    t.match(await vp(['run', '--tag', 'smoke', '--shard', part]), { code: 2, stderr: /FLAG_INVALID/ });
});

t.test('jobs that do not select the same scenarios are refused, because one could run nowhere', async (t) => {
  const { vp, writeScenario } = await startShop(t);
  const args = ['run', '--tag', 'smoke', '--shard-key', 'p', '--shard'];
  t.match(await vp([...args, '1/2']), { stderr: /shard 1 of 2/ });
  await writeScenario('shop', 'RT-GET-new', passing.replaceAll('RT-GET-document', 'RT-GET-new'));
  t.match(await vp([...args, '2/2']), { code: 2, stderr: /RUN_SHARDS_DIFFER[\s\S]*RT-GET-new|RT-GET-new/ });
});

t.test('a selection runs again until a run does not pass', async (t) => {
  let requests = 0;
  const target = await startHttpTarget((_request, response) => {
    requests += 1;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ count: requests < 4 ? 3 : 0 }));
  });
  t.teardown(() => target.close());
  const testWorkspace = createWorkspace(t, target.origin);
  const { vp, ...controlPlane } = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.writeScenario('shop', 'RT-GET-document', passing);
  await controlPlane.startExecutor('shop', target.origin);
  const run = await vp(['run', 'RT-GET-document', '--until-fail']);
  t.equal(run.code, 1);
  t.match(run.stdout, '4 runs: 3 passed, 1 failed in ');
  requests = 0;
  t.match(await vp(['run', 'RT-GET-document', '--until-fail', '--repeat', '2']), {
    code: 0,
    stdout: /2 runs: 2 passed/,
  });
  requests = 0;
  testWorkspace.write('scenarios/one.md', passing);
  const local = await vp(['run', '--local', '--base-url', target.origin, '--until-fail', '--jobs', '1']);
  t.match(local, { code: 1, stdout: /4 runs: 3 passed, 1 failed/ });
});

t.test('flags that contradict each other are refused', async (t) => {
  const { vp } = await startTestControlPlane(t, createWorkspace(t, 'http://127.0.0.1:9'));
  for (const flags of [
    ['--until-fail', '--fail-fast'],
    ['--retry-failed', '2', '--repeat', '3'],
    ['--shard', '1/2', '--failed'],
  ])
    t.match(await vp(['run', 'A', ...flags]), { code: 2, stderr: /FLAG_CONTRADICTED/ });
  t.match(await vp(['run', 'A', '--shard-key', 'x']), { code: 2, stderr: /FLAG_NEEDS_ANOTHER/ });
  t.match(await vp(['run', 'A', '--retry-failed', '11']), { code: 2, stderr: /FLAG_INVALID/ });
});
