/** `vp runs`, `vp runs show`, `vp runs cancel`, on a real control plane. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parseSince } from '../../../src/commands/runs/parse-since.ts';
import { eventually } from '../../eventually.ts';
import { findFreePort } from '../../free-port.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane, type TestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, firstCheckLine, scenarioText, startTarget, type Workspace } from '../test-workspace.ts';

const passing = scenarioText('RT-a', { checks: ['status=200', 'body has count equals 3'] });
const failing = scenarioText('RT-b', { checks: ['status=200', 'body has count equals 4'] });

/** One passed and one failed run of `shop`, one queued of `idle`. */
async function startWithHistory(t: Test): Promise<{ testWorkspace: Workspace; controlPlane: TestControlPlane }> {
  const { origin } = await startTarget(t, respondWithJson({ count: 3, note: 'a\tb\u001b[2J' }));
  const testWorkspace = createWorkspace(t, origin, { 'a.md': passing, 'b.md': failing });
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.registerInstance('idle');
  await controlPlane.startExecutor('shop', origin);
  await controlPlane.vp(['run', '--instance', 'shop', 'a.md', 'b.md']);
  await controlPlane.control.runs.request('idle', { scenarios: [{ text: passing }] }, { name: 'owner' });
  return { testWorkspace, controlPlane };
}

async function listRunIds(controlPlane: TestControlPlane): Promise<readonly string[]> {
  return (await controlPlane.control.runs.list({}, { limit: 10 })).items.map(({ run_id }) => run_id);
}

t.test('runs are listed newest first, in columns', async (t) => {
  const { controlPlane } = await startWithHistory(t);
  const { code, stdout, stderr } = await controlPlane.vp(['runs']);
  t.match({ code, stderr }, { code: 0, stderr: '' });
  const [head = '', ...lines] = stdout.trimEnd().split('\n');
  t.match(head, /^RUN ID +STATE +SCENARIO +INSTANCE +STATUS +TOOK +REQUESTED +REMARK$/);
  t.equal(lines.length, 3);
  t.match(lines[0], /queued +RT-a +idle .*next$/);
  t.match(lines[1], /failed +RT-b +shop +200 .*(now|ago) +.*body has count equals 4/);
  t.match(lines[2], /passed +RT-a +shop +200/);
  const narrow = await controlPlane.vp(['runs'], {
    stdout: { isTTY: true, columns: 60 },
    variables: { NO_COLOR: '1' },
  });
  t.ok(
    narrow.stdout.split('\n').every((line) => line.length <= 60),
    narrow.stdout,
  );
  t.match((await controlPlane.vp(['runs'], { stdout: { isTTY: true, columns: 120 } })).stdout, '\u001b[32mpassed');
});

t.test('runs are searched by what failed, the scenario and its requests', async (t) => {
  const { controlPlane } = await startWithHistory(t);
  const search = async (...flags: string[]): Promise<string[]> => {
    const { stdout } = await controlPlane.vp(['runs', '--json', ...flags]);
    return JSON.parse(stdout).runs.map((run: { scenario_id: string }) => run.scenario_id);
  };
  t.same(await search('--text', 'COUNT equals 4'), ['RT-b']);
  t.same(await search('--text', 'rt-a', '--instance', 'shop'), ['RT-a']);
  t.same(await search('--text', 'rt-a', '--text', 'equals'), []);
  t.same(await search('--path', '/none'), []);
  t.same(await search('--until', '2020-01-01', '--text', 'rt'), []);
  const none = await controlPlane.vp(['runs', '--tag', 'absent', '--owner', 'ana']);
  t.match(none, { code: 0, stdout: 'no runs with the tag absent of the owner ana\n' });
  t.match(await controlPlane.vp(['runs', '--path', 'orders']), { code: 2, stderr: /--path must begin with \// });
  t.match(await controlPlane.vp(['runs', '--until', 'noon']), { code: 2, stderr: /--until must be a time/ });
  const watched = await controlPlane.vp(['runs', '--watch', '--target-version', '2']);
  t.match(watched, { code: 2, stderr: /--target-version cannot be combined with --watch/ });
});

t.test('runs are filtered by instance, scenario, state and time', async (t) => {
  const { controlPlane } = await startWithHistory(t);
  const selectRuns = async (...flags: string[]): Promise<string[]> => {
    const { stdout } = await controlPlane.vp(['runs', '--json', ...flags]);
    return JSON.parse(stdout).runs.map(
      (run: { scenario_id: string; state: string }) => `${run.scenario_id} ${run.state}`,
    );
  };
  t.same(await selectRuns('--instance', 'shop'), ['RT-b failed', 'RT-a passed']);
  t.same(await selectRuns('--scenario', 'RT-a'), ['RT-a queued', 'RT-a passed']);
  t.same(await selectRuns('--state', 'failed', '--state', 'queued'), ['RT-a queued', 'RT-b failed']);
  t.same(await selectRuns('--limit', '1'), ['RT-a queued']);
  t.same(await selectRuns('--since', '1h', '--instance', 'shop'), ['RT-b failed', 'RT-a passed']);
  t.same(await selectRuns('--since', '2999-01-01'), []);
  t.equal((await controlPlane.vp(['runs', '--since', '2999-01-01'])).stdout, 'no runs since 2999-01-01\n');
  const filtered = ['runs', '--scenario', 'RT-typo', '--instance', 'shop', '--state', 'failed', '--state', 'queued'];
  t.equal(
    (await controlPlane.vp(filtered)).stdout,
    'no runs of the scenario RT-typo on shop in the state failed or queued\n',
    'a mistyped filter does not pass for an empty history',
  );
  t.match(await controlPlane.vp(['runs', '--instance', 'shp']), { code: 2, stderr: 'INSTANCE_UNKNOWN' });
  for (const flags of [
    ['--limit', '0'],
    ['--limit', '1.5'],
    ['--state', 'done'],
    ['--since', 'yesterday'],
  ]) {
    t.match(await controlPlane.vp(['runs', ...flags]), { code: 2, stderr: 'FLAG_INVALID' }, flags.join(' '));
  }
});

t.test('a run that could not be judged is listed as such, with the kind, and --state failed finds it', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9', { 'a.md': passing });
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.startExecutor('shop', `http://127.0.0.1:${await findFreePort()}`);
  await controlPlane.vp(['run', '--instance', 'shop', 'a.md']);
  for (const flags of [[], ['--state', 'failed']]) {
    const { stdout } = await controlPlane.vp(['runs', ...flags]);
    t.match(stdout, /^\d+T\d+ +could not be judged +RT-a .* target_unreachable: nothing listens at /m);
  }
  const json = JSON.parse((await controlPlane.vp(['runs', '--json'])).stdout);
  t.match(json.runs, [{ state: 'failed', result: 'failed', outcome: 'broken', evidence_ms: 0 }]);
  const [listedRow = ''] = (await controlPlane.vp(['runs'])).stdout.split('\n').slice(1);
  const [id = ''] = listedRow.split(' ');
  t.match((await controlPlane.vp(['runs', 'show', id])).stdout, 'could not be judged');
});

t.test('durations count back from now, and timestamps are kept', async (t) => {
  const nowMs = Date.UTC(2026, 10, 20, 14, 30);
  t.equal(parseSince('1h', nowMs), '2026-11-20T13:30:00.000Z');
  t.equal(parseSince('90s', nowMs), '2026-11-20T14:28:30.000Z');
  t.equal(parseSince('15m', nowMs), '2026-11-20T14:15:00.000Z');
  t.equal(parseSince('7d', nowMs), '2026-11-13T14:30:00.000Z');
  t.equal(parseSince('999999d', nowMs), '1970-01-01T00:00:00.000Z');
  t.equal(parseSince('2026-11-20', nowMs), '2026-11-20T00:00:00.000Z');
  t.equal(parseSince('2026-11-20T15:00:00+01:00', nowMs), '2026-11-20T14:00:00.000Z');
  for (const wrong of ['', '1', 'h', '1 h', '1w', '-1h', '11/20/2026', '2026-13-40']) {
    t.throws(() => parseSince(wrong, nowMs), { code: 'FLAG_INVALID' }, wrong);
  }
});

t.test('all details of a run are shown, as text, JSON and files', async (t) => {
  const { testWorkspace, controlPlane } = await startWithHistory(t);
  const [queued = '', failed = '', passed = ''] = await listRunIds(controlPlane);
  const { code, stdout } = await controlPlane.vp([
    'runs',
    'show',
    failed,
    '--report',
    'html=r.html',
    '--report',
    'junit=r.xml',
  ]);
  t.equal(code, 0, 'it is shown, whatever became of it');
  t.match(stdout, `shop/RT-b:${firstCheckLine + 1}:3`);
  t.match(
    stdout,
    /\nchecks\n {2}✓ {3}18 {2}status=200 {2}not counted\n {2}✕ {3}19 {2}body has count equals 4 {2}got 3\n/,
  );
  t.match(stdout, /\nrequest\n {2}GET http:[\s\S]*Authorization: \[redacted\]/);
  t.match(stdout, /\nresponse\n {2}status 200\n[\s\S]*"count":3/);
  t.match(stdout, /requested +2\d{3}-.* by owner\n/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  t.notMatch(stdout, /[\x00-\x08\x0b-\x1f]/);
  t.match(readFileSync(join(testWorkspace.folder, 'r.html'), 'utf8'), 'RT-b');
  t.match(readFileSync(join(testWorkspace.folder, 'r.xml'), 'utf8'), 'failures="1"');

  t.match((await controlPlane.vp(['runs', 'show', passed])).stdout, /^✓ RT-a[\s\S]*\nchecks\n/);
  const document = JSON.parse((await controlPlane.vp(['runs', 'show', passed, '--json'])).stdout);
  t.match(document, { run_id: passed, state: 'passed', report: { run_id: passed }, scenario_text: passing });

  const waiting = await controlPlane.vp(['runs', 'show', queued, '--report', 'text=r.txt']);
  t.match(waiting, { code: 0, stdout: /^RT-a {2}queued {2}next\n[\s\S]*instance idle/ });
  t.match(readFileSync(join(testWorkspace.folder, 'r.txt'), 'utf8'), 'not finished yet');
  t.match(await controlPlane.vp(['runs', 'show', '20200101T000000000']), { code: 2, stderr: 'RUN_UNKNOWN' });
  t.match(await controlPlane.vp(['runs', 'show']), { code: 2, stderr: 'COMMAND_WORD_MISSING' });
});

t.test('a run is found by its correlation id, and by a part that only one run has', async (t) => {
  const { controlPlane } = await startWithHistory(t);
  const [queued = '', failed = '', passed = ''] = await listRunIds(controlPlane);
  const { correlation_id: correlationId } = await controlPlane.control.runs.get(failed);
  const findId = async (text: string): Promise<string> => {
    const { code, stdout, stderr } = await controlPlane.vp(['runs', 'show', text, '--json']);
    return code === 0 ? JSON.parse(stdout).run_id : `${code} ${stderr || stdout}`;
  };
  t.match(correlationId, /^tr-\d{8}T\d{9}-.+/);
  t.equal(await findId(correlationId), failed, 'as it stands in the log of the target');
  t.equal(await findId(correlationId.slice(0, -2)), failed, 'cut');
  t.equal(await findId(`tr-${failed}`), failed);
  // It may contain hyphens, and would be taken for a flag with one at its start.
  const randomPart = correlationId.slice(`tr-${failed}-`.length).replace(/^-+/, '');
  t.equal(await findId(randomPart), failed, 'the random part alone');
  t.equal(await findId(passed.slice(9)), passed, 'the time alone');
  t.match(await findId(`tr-${failed}-another`), 'RUN_UNKNOWN');
  for (const part of [queued.slice(0, 8), `tr-${queued.slice(0, 8)}`]) {
    const ambiguous = await findId(part);
    t.match(ambiguous, 'RUN_AMBIGUOUS', part);
    t.match(ambiguous, `${failed} RT-b failed`);
  }
  for (const unknown of ['20200101', '20200101T10', '0000', '99999999T9', 'nothing-like-it'])
    t.match(await findId(unknown), 'RUN_UNKNOWN', unknown);
  t.match(await controlPlane.vp(['runs', 'cancel', `tr-${queued}`]), {
    code: 0,
    stdout: `run ${queued} is cancelled\n`,
  });
});

t.test('a passed run is shown with its exchange, timings, log lines and rows', async (t) => {
  const { controlPlane } = await startWithHistory(t);
  const [, , passed = ''] = await listRunIds(controlPlane);
  const { stdout } = await controlPlane.vp(['runs', 'show', passed]);
  t.match(
    stdout,
    /\nevidence\n {2}sent {6}GET http:.*\n {2}received {2}200 .*\n {2}timings {3}queued .*, total .*\n {2}id {8}tr-/,
  );
});

t.test('a long body is truncated, also if it is one line', async (t) => {
  const app = await startTarget(t, respondWithJson({ count: 4, data: 'x'.repeat(100_000) }));
  const testWorkspace = createWorkspace(t, app.origin, { 'a.md': passing });
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.startExecutor('shop', app.origin);
  await controlPlane.vp(['run', '--instance', 'shop', 'a.md']);
  const [id = ''] = await listRunIds(controlPlane);
  const { stdout } = await controlPlane.vp(['runs', 'show', id]);
  t.match(stdout, /"count":4,"data":"x{1000,}… 18000 more characters\n {2}… \d+ more characters\n/);
  t.ok(stdout.length < 10_000, `${stdout.length}`);
});

t.test('a queued run is cancelled at once, an ended one is not changed', async (t) => {
  const { controlPlane } = await startWithHistory(t);
  const [queued = '', failed = ''] = await listRunIds(controlPlane);
  t.match(await controlPlane.vp(['runs', 'cancel', queued]), { code: 0, stdout: `run ${queued} is cancelled\n` });
  t.match(await controlPlane.vp(['runs', 'cancel', failed]), { code: 2, stderr: /RUN_FINAL.*\n.*vp runs show/ });
  t.match((await controlPlane.vp(['runs', 'show', queued])).stdout, /^RT-a {2}cancelled/);
  t.match((await controlPlane.vp(['runs', '--state', 'cancelled'])).stdout, queued);
});

t.test('a run in progress is called running, and is asked to stop', async (t) => {
  const { origin, arrived } = await startTarget(t, () => {});
  const testWorkspace = createWorkspace(t, origin, { 'a.md': passing });
  const controlPlane = await startTestControlPlane(t, testWorkspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.startExecutor('shop', origin);
  const running = controlPlane.vp(['run', 'a.md']);
  await eventually(() => arrived.length > 0);
  const [id = ''] = await listRunIds(controlPlane);
  const lists = [['runs'], ['runs', '--state', 'in_progress'], ['runs', '--state', 'running'], ['runs', 'show', id]];
  for (const list of lists) t.match((await controlPlane.vp(list)).stdout, /\brunning\b/, list.join(' '));
  for (const list of lists) t.notMatch((await controlPlane.vp(list)).stdout, /in.progress/, list.join(' '));
  const document = await controlPlane.vp(['runs', '--state', 'running', '--json']);
  t.match(JSON.parse(document.stdout), { runs: [{ run_id: id, state: 'in_progress' }] });
  const { stdout } = await controlPlane.vp(['runs', 'cancel', id, '--json']);
  t.match(JSON.parse(stdout), { run: { run_id: id, state: 'in_progress', cancel_requested: true } });
  const { code, stdout: output } = await running;
  t.equal(code, 4);
  t.match(output, /- RT-a {2}cancelled[\s\S]*1 run: 1 cancelled/);
});

t.test('--watch prints the current runs, then each change, until interrupted', async (t) => {
  const { controlPlane } = await startWithHistory(t);
  const watching = controlPlane.start(['runs', '--watch', '--json']);
  const lines = (): { run: { run_id: string; state: string } }[] =>
    watching.written.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  await eventually(lines, { until: ({ length }) => length >= 3 });
  t.same(
    lines().map(({ run }) => run.state),
    ['passed', 'failed', 'queued'],
    'the newest is the last',
  );
  const [queued = ''] = await listRunIds(controlPlane);
  await controlPlane.control.runs.cancel(queued);
  await eventually(lines, { until: ({ length }) => length >= 4 });
  t.match(lines().at(-1), { run: { run_id: queued, state: 'cancelled' } });
  watching.interrupt();
  t.equal(await watching.ended, 130);
  t.equal(watching.written.stderr, '');

  const failed = controlPlane.start(['runs', '--watch', '--state', 'failed', '--instance', 'shop']);
  await eventually(() => failed.written.stdout);
  failed.interrupt();
  t.equal(await failed.ended, 130);
  t.match(failed.written.stdout, /^\d\d:\d\d:\d\d failed {6}RT-b {2}shop · \d{8}T\d{9} · .* · .*equals 4.*\n$/);
});

t.test('the version of the target, its process and the links of the scenario are shown', async (t) => {
  const { testWorkspace, controlPlane } = await startWithHistory(t);
  const linked = passing.replace(
    '- Tags: http',
    '- Tags: http\n- Links: https://wiki.example/shop https://issues.example/7',
  );
  testWorkspace.write('c.md', linked.replaceAll('RT-a', 'RT-c'));
  t.notMatch((await controlPlane.vp(['runs'])).stdout, 'VERSION', 'no column for what is not known of any');
  await controlPlane.vp(['run', '--instance', 'shop', 'c.md', '--target-version', '4f2c9e1']);
  const [id = ''] = await listRunIds(controlPlane);
  const { stdout } = await controlPlane.vp(['runs', 'show', id, '--report', 'html=r.html']);
  t.match(
    stdout,
    /link {6}https:\/\/wiki\.example\/shop\n {2}link {6}https:\/\/issues\.example\/7\n {2}version {3}4f2c9e1\n/,
  );
  t.match(readFileSync(join(testWorkspace.folder, 'r.html'), 'utf8'), /version of the target<\/th><td[^>]*>4f2c9e1</);
  t.match((await controlPlane.vp(['runs'])).stdout, /VERSION +REMARK\n.*RT-c.* 4f2c9e1 *\n/);
});
