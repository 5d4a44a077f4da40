/** `vp scenarios quarantine` and `release`, and what `vp run` and its report files make of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parseEnd } from '../../../src/commands/parse-end.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

const passing = scenarioText('RT-GET-document', { checks: ['status=200', 'body has count equals 3'], tags: 'smoke' });
const failing = scenarioText('RT-GET-folder', { checks: ['status=200', 'body has count equals 9'], tags: 'smoke' });

async function startShop(t: Test) {
  const { origin } = await startTarget(t, respondWithJson({ data: [], count: 3 }));
  const workspace = createWorkspace(t, origin);
  const controlPlane = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.writeScenario('shop', 'RT-GET-document', passing);
  await controlPlane.writeScenario('shop', 'RT-GET-folder', failing);
  await controlPlane.startExecutor('shop', origin);
  return { ...controlPlane, workspace };
}

const setArguments = ['scenarios', 'quarantine', 'RT-GET-folder', '--until', '14d', '--reason', 'the index is rebuilt'];

t.test('a day ends at midnight, days are counted from now, and other texts are refused', async (t) => {
  const nowMs = Date.UTC(2026, 10, 20, 12);
  t.equal(parseEnd('2026-12-31', nowMs, 'vp scenarios quarantine'), '2026-12-31T23:59:59.999Z');
  t.equal(parseEnd('14d', nowMs, 'vp scenarios quarantine'), '2026-12-04T12:00:00.000Z');
  t.equal(parseEnd('2026-12-31T12:00:00+01:00', nowMs, 'vp scenarios quarantine'), '2026-12-31T11:00:00.000Z');
  for (const text of ['2026-02-30', 'tomorrow', '31.12.2026', '', '14h', '2026-12-31T12:00'])
    t.throws(() => parseEnd(text, nowMs, 'vp scenarios quarantine'), { code: 'FLAG_INVALID' }, text);
});

t.test('a scenario is put in quarantine, listed with its days left, and released', async (t) => {
  const { vp } = await startShop(t);
  t.match(await vp(['scenarios', 'quarantine']), { code: 0, stdout: 'no scenario of shop is in quarantine\n' });
  const set = await vp([...setArguments, '--owner', 'search team']);
  t.equal(set.code, 0);
  t.match(set.stdout, /^scenario RT-GET-folder is in quarantine until .* \(search team\): the index is rebuilt\n/);
  t.match(set.stdout, '`vp scenarios release RT-GET-folder --instance shop');
  t.match(
    (await vp(['scenarios', 'quarantine'])).stdout,
    /RT-GET-folder +\d{4}-.* 14 +search team +the index is rebuilt/,
  );
  t.match(JSON.parse((await vp(['scenarios', 'quarantine', '--json'])).stdout), {
    quarantines: [{ scenario_id: 'RT-GET-folder', days_left: 14 }],
  });
  t.match((await vp(['health'])).stdout, /RT-GET-folder .*in quarantine until/);
  t.match(await vp(['scenarios', 'release', 'RT-GET-folder']), { code: 0, stdout: /its failures count/ });
  t.match(await vp(['scenarios', 'release', 'RT-GET-folder']), { code: 2, stderr: /QUARANTINE_ABSENT/ });
});

t.test('missing and needless flags, ends out of range and unknown scenarios are refused', async (t) => {
  const { vp } = await startShop(t);
  for (const [args, code] of [
    [['RT-GET-folder'], 'FLAG_INVALID'],
    [['RT-GET-folder', '--until', '14d'], 'FLAG_INVALID'],
    [['--until', '14d'], 'FLAG_INVALID'],
    [['RT-GET-folder', '--until', '91d', '--reason', 'x'], 'QUARANTINE_INVALID'],
    [['RT-GET-folder', '--until', '2020-01-01', '--reason', 'x'], 'QUARANTINE_INVALID'],
    [['RT-OTHER', '--until', '14d', '--reason', 'x'], 'SCENARIO_UNKNOWN'],
  ] as const)
    t.match(await vp(['scenarios', 'quarantine', ...args]), { code: 2, stderr: new RegExp(code) }, args.join(' '));
});

t.test('what only fails in quarantine ends with 0 and says so, and its suite passes', async (t) => {
  const { vp, workspace } = await startShop(t);
  await vp(setArguments);
  const run = await vp(['run', '--tag', 'smoke', '--retry-failed', '2', '--report', 'junit=vp.xml']);
  t.equal(run.code, 0);
  t.notMatch(run.stderr, 'retry 1', 'it is not tried again');
  t.match(run.stdout, '✕ RT-GET-folder  failed, in quarantine until');
  t.match(run.stdout, /2 runs: 1 passed, 1 failed in quarantine in .*\n.*does not count: RT-GET-folder\n/);
  t.match(
    readFileSync(join(workspace.folder, 'vp.xml'), 'utf8'),
    /failures="0" errors="0".*<skipped message="in quar/s,
  );
  const suite = /suite (s\d{8}T\d{9})/.exec(run.stdout)?.[1] ?? '';
  const details = await vp(['suites', 'show', suite, '--exit-status']);
  t.match(details, { code: 0, stdout: /1 passed, 1 failed in quarantine/ });
  t.match(details.stdout, /RT-GET-folder +in quarantine until/);
  t.match((await vp(['runs'])).stdout, /RT-GET-folder .*in quarantine until/);
  t.match(JSON.parse((await vp(['run', '--tag', 'smoke', '--json'])).stdout), {
    summary: { failed: 0, quarantined: 1, passed: 1, exit_code: 0 },
  });
  await vp(['scenarios', 'release', 'RT-GET-folder']);
  t.equal((await vp(['suites', 'show', suite, '--exit-status'])).code, 0, 'an earlier verdict stays');
  t.equal((await vp(['run', '--tag', 'smoke'])).code, 1);
});

t.test(
  '--fail-fast goes on, --failed has nothing to repeat, and --until-fail finds the one that it repeats',
  async (t) => {
    const { vp } = await startShop(t);
    await vp(setArguments);
    const fast = await vp(['run', 'RT-GET-folder', 'RT-GET-document', '--fail-fast', '--json']);
    t.match(JSON.parse(fast.stdout), { stopped: null, summary: { passed: 1, quarantined: 1, unfinished: 0 } });
    await vp(['run', '--tag', 'smoke']);
    t.match((await vp(['run', '--tag', 'smoke', '--failed'])).stderr, 'everything passed');
    const repeated = await vp(['run', 'RT-GET-folder', '--until-fail', '--repeat', '5', '--json']);
    t.equal(repeated.code, 0);
    t.match(JSON.parse(repeated.stdout), {
      stopped: { flag: '--until-fail', reason: 'RT-GET-folder failed in quarantine' },
      summary: { total: 1, quarantined: 1 },
    });
    const both = await vp(['run', '--tag', 'smoke', '--until-fail', '--repeat', '2', '--json']);
    t.match(JSON.parse(both.stdout), { stopped: null, summary: { total: 4, passed: 2, quarantined: 2 } });
  },
);

t.test('what is run without the control plane is in no quarantine', async (t) => {
  const { vp, workspace } = await startShop(t);
  await vp(setArguments);
  workspace.write('folder.md', failing);
  t.equal((await vp(['run', '--local', 'folder.md'])).code, 1);
});

t.test(
  'the file of a branch is in the quarantine of its ID, and a pipeline gets notices instead of errors',
  async (t) => {
    const { vp, workspace } = await startShop(t);
    await vp(setArguments);
    workspace.write('folder.md', failing);
    const variables = { GITHUB_STEP_SUMMARY: join(workspace.folder, 'summary.md') };
    const run = await vp(['run', 'folder.md', '--ci', 'github', '--report', 'sarif=vp.sarif'], { variables });
    t.equal(run.code, 0);
    t.match(
      run.stdout,
      /^::notice file=folder\.md,line=\d+,title=RT-GET-folder::body has count equals 9.*in quarantine/m,
    );
    t.notMatch(run.stdout, '::error');
    t.match(readFileSync(variables.GITHUB_STEP_SUMMARY, 'utf8'), '### ✅ 0 of 1 runs passed, 1 failed in quarantine');
    const [sarif] = JSON.parse(readFileSync(join(workspace.folder, 'vp.sarif'), 'utf8')).runs;
    t.match(sarif.results, [{ level: 'note', suppressions: [{ kind: 'external' }] }]);
  },
);
