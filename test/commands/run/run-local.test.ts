/** `vp run --local`, from the line to what is written and the exit code. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { findFreePort } from '../../free-port.ts';
import { getHeader, respondWithJson } from '../../targets/http-target.ts';
import { createWorkspace, firstCheckLine, scenarioText, startTarget } from '../test-workspace.ts';

const answer = respondWithJson({ data: [], count: 3 });
const failing = { checks: ['status=200', 'body has count matching ^9$'] };

t.test('without arguments every scenario of the test folder runs', async (t) => {
  const { origin, arrived } = await startTarget(t, answer);
  const { vp } = createWorkspace(t, origin, {
    'test/scenarios/one.md': scenarioText('RT-one', { checks: ['status=200', 'body has count equals 3'] }),
    'test/scenarios/deeper/two.md': scenarioText('RT-two'),
  });
  const { code, stdout, stderr } = await vp(['run', '--local']);
  t.equal(code, 0);
  t.match(stdout, /✓ RT-two .*passed.*\n(.*\n)*✓ RT-one {2}passed {2}status 200 · 1 body check/);
  t.match(stdout, /2 runs: 2 passed in /);
  t.equal(stderr, '');
  t.equal(arrived[0] && getHeader(arrived[0], 'authorization'), 'Bearer the-token-of-the-target');
  t.notMatch(stdout, 'the-token-of-the-target');
});

t.test('a false check is shown with its position, expected, actual and body excerpt, and exits 1', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp } = createWorkspace(t, origin, {
    'test/scenarios/one.md': scenarioText('RT-one', failing),
    'test/scenarios/two.md': scenarioText('RT-two'),
  });
  const { code, stdout } = await vp(['run', '--local']);
  t.equal(code, 1);
  t.match(stdout, `test/scenarios/one.md:${firstCheckLine + 1}:3`);
  t.match(stdout, /\| - body has count matching \^9\$\n +\| {3}\^{27}\n/);
  t.match(stdout, /expected .*\^9\$\n +actual +3\n/);
  t.match(stdout, /> {3}"count": 3/);
  t.match(stdout, '2 runs: 1 passed, 1 failed in ');
});

t.test('the fix for a target that is down is printed once, and every scenario is named', async (t) => {
  const port = await findFreePort();
  const names = ['RT-a', 'RT-b', 'RT-c'];
  const files = Object.fromEntries(names.map((id) => [`test/scenarios/${id}.md`, scenarioText(id)]));
  const { vp, folder } = createWorkspace(t, `http://127.0.0.1:${port}`, files);
  const { code, stdout } = await vp(['run', '--local', '--report', 'text=run.txt']);
  t.equal(code, 4);
  for (const text of [stdout, readFileSync(join(folder, 'run.txt'), 'utf8')]) {
    t.equal(text.match(/ {2}fix {3}/g)?.length, 1);
    t.equal(text.match(/the connection was refused/g)?.length, 1);
    t.match(text, /! RT-b {2}could not be judged.*\n {2}the same failure as RT-a, with the same fix\n/);
    t.match(text, /! RT-c {2}could not be judged.*\n {2}the same failure as RT-a, with the same fix\n/);
  }
  const { stdout: document } = await vp(['run', '--local', '--json']);
  const { runs } = JSON.parse(document);
  t.match(
    runs,
    names.map((id) => ({ scenario: { id }, failure: { message: /refused/, cure: /start the target/ } })),
  );
});

t.test('above the summary of a long output the scenarios with one failure are one entry with the fix', async (t) => {
  const port = await findFreePort();
  const names = Array.from({ length: 30 }, (_, index) => `RT-${String(index).padStart(2, '0')}`);
  const files = Object.fromEntries(names.map((id) => [`test/scenarios/${id}.md`, scenarioText(id)]));
  const { vp } = createWorkspace(t, `http://127.0.0.1:${port}`, files);
  const { stdout } = await vp(['run', '--local']);
  const [, list = ''] = stdout.split('did not pass\n');
  t.match(list, /^! 30 scenarios {2}nothing listens at .*\n {4}RT-00, RT-01,/);
  for (const id of names) t.match(list, id);
  t.match(list, /\n {2}fix {3}start the target/);
});

t.test('an unreachable target exits 4, and with a false check 1', async (t) => {
  const port = await findFreePort();
  const { origin } = await startTarget(t, answer);
  const { vp } = createWorkspace(t, `http://127.0.0.1:${port}`, { 'one.md': scenarioText('RT-one') });
  const broken = await vp(['run', '--local', 'one.md']);
  t.equal(broken.code, 4);
  t.match(broken.stdout, /! RT-one {2}could not be judged[\s\S]*connection was refused[\s\S]*fix/);
  t.equal((await vp(['run', '--local', 'one.md', '--base-url', origin])).code, 0, '--base-url names another');
  t.equal((await vp(['run', '--local', 'one.md', '--base-url', new URL(origin).port])).code, 0, 'a port is enough');

  const half = await startTarget(t, (request, response, arrived) => {
    if (arrived.url === '/gone') request.socket.destroy();
    else answer(request, response, arrived);
  });
  const both = createWorkspace(t, half.origin, {
    'gone.md': scenarioText('RT-gone', { path: '/gone' }),
    'false.md': scenarioText('RT-false', failing),
  });
  t.equal((await both.vp(['run', '--local', 'gone.md', 'false.md'])).code, 1);
  t.equal((await both.vp(['run', '--local', 'gone.md'])).code, 4);
});

t.test('scenarios are selected by ID, tag, file and folder, each once', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp } = createWorkspace(t, origin, {
    'test/scenarios/a.md': scenarioText('RT-a', { tags: 'http, smoke' }),
    'test/scenarios/b.md': scenarioText('RT-b'),
    'more/c.md': scenarioText('RT-c'),
  });
  const selectedIds = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await vp(['run', '--local', '--json', ...args]);
    return JSON.parse(stdout).runs.map((run: { scenario: { id: string } }) => run.scenario.id);
  };
  t.same(await selectedIds('RT-b'), ['RT-b']);
  t.same(await selectedIds('--tag', 'smoke'), ['RT-a']);
  t.same(await selectedIds('--tag', 'smoke', 'RT-b', 'RT-a'), ['RT-b', 'RT-a']);
  t.same(await selectedIds('more'), ['RT-c']);
  t.same(await selectedIds('more/c.md', './more/', 'RT-a'), ['RT-c', 'RT-a']);
  t.same(await selectedIds('--test-dir', 'more'), ['RT-c']);
  t.same(await selectedIds('--test-dir', 'test', 'RT-a'), ['RT-a']);
});

t.test('an unknown ID or tag lists the known ones, and an empty selection never passes', async (t) => {
  const { vp, write } = createWorkspace(t, 'http://127.0.0.1:9', {
    'test/scenarios/a.md': scenarioText('RT-GET-document'),
  });
  const unknown = await vp(['run', '--local', 'RT-GET-docment']);
  t.equal(unknown.code, 2);
  t.match(
    unknown.stderr,
    /no scenario in test\/scenarios has the ID RT-GET-docment \(RUN_SCENARIO_MISSING\)\n.*`RT-GET-document`/,
  );
  const tag = await vp(['run', '--local', '--tag', 'htp']);
  t.equal(tag.code, 2);
  t.match(tag.stderr, /RUN_TAG_UNKNOWN.*\n.*http/);
  t.match(await vp(['run', '--local', '--tag', 'http', '--tag', 'htp']), {
    code: 2,
    stdout: '',
    stderr: /has the tag htp \(RUN_TAG_UNKNOWN\)/,
  });
  t.match(await vp(['run', '--local', 'nowhere.md']), { code: 2, stderr: 'SCENARIO_FILE_MISSING' });
  for (const command of [['run', '--local'], ['validate'], ['format']]) {
    const { stdout, stderr } = await vp([...command, 'test/scenarois/a.md']);
    t.match(stdout + stderr, /did you mean `test\/scenarios\/a\.md`\?/, command.join(' '));
  }
  write('empty/readme.txt', '');
  t.match(await vp(['run', '--local', 'empty/']), { code: 2, stderr: 'SCENARIO_FOLDER_EMPTY' });
  t.match(await vp(['run', '--local', '--test-dir', 'empty']), { code: 2, stderr: 'SCENARIO_FOLDER_EMPTY' });
  t.match(await vp(['run']), { code: 2, stderr: 'RUN_NOTHING_SELECTED' });
});

t.test('all errors of invalid scenarios are reported, and nothing runs', async (t) => {
  const { origin, arrived } = await startTarget(t, answer);
  const { vp, folder } = createWorkspace(t, origin, {
    'test/scenarios/bad.md': scenarioText('RT-bad', { checks: ['statsu=200', 'body has'] }),
    'test/scenarios/good.md': scenarioText('RT-good'),
  });
  const { code, stderr } = await vp(['run', '--local']);
  t.equal(code, 2);
  t.match(stderr, `test/scenarios/bad.md:${firstCheckLine}:3: error SCENARIO_`);
  t.match(stderr, /\| - statsu=200\n +\| {3}\^{10}\n +fix: /);
  t.match(stderr, `bad.md:${firstCheckLine + 1}:`);
  t.match(stderr, '1 scenario cannot be used as written (SCENARIO_FILES_INVALID)');
  t.equal(arrived.length, 0);

  t.match(await vp(['run', '--local', 'RT-bad']), { code: 2, stderr: 'bad.md' }, 'it is known by its ID line');
  t.equal((await vp(['run', '--local', 'RT-good'])).code, 0, 'other files do not matter');

  const asJson = await vp(['run', '--local', '--json']);
  t.equal(asJson.stderr, '');
  t.match(JSON.parse(asJson.stdout).error, {
    code: 'SCENARIO_FILES_INVALID',
    diagnostics: [{ file: 'test/scenarios/bad.md', line: firstCheckLine, column: 3, severity: 'error' }, {}],
  });

  writeFileSync(join(folder, 'test/scenarios/bad.md'), Buffer.from([0xff, 0xfe, 0x41]));
  t.match(await vp(['run', '--local']), { code: 2, stderr: 'SCENARIO_FILE_NOT_UTF8' });
  writeFileSync(join(folder, 'test/scenarios/bad.md'), ' '.repeat(5_000_000));
  t.match(await vp(['run', '--local']), { code: 2, stderr: 'SCENARIO_FILE_TOO_LARGE' });
  writeFileSync(join(folder, 'test/scenarios/bad.md'), scenarioText('RT-good'));
  t.match(await vp(['run', '--local']), { code: 2, stderr: /SCENARIO_ID_DOUBLED[\s\S]*good\.md/ });
});

t.test('an invalid config exits 2 with its location', async (t) => {
  const { vp, write } = createWorkspace(t, 'http://127.0.0.1:9', { 'a.md': scenarioText('RT-a') });
  t.match(await vp(['run', '--local', 'a.md', '--product-dir', 'nowhere']), {
    code: 2,
    stderr: 'CONFIG_FOLDER_MISSING',
  });
  write('product/.env', '');
  t.match(await vp(['run', '--local', 'a.md']), { code: 2, stderr: /API_TOKEN[\s\S]*platform-config\.yaml:4/ });
  write('product/.env', 'API_TOKEN=the-token-of-the-target\n');
  t.match(await vp(['run', '--local', 'a.md', '--base-url', 'ftp://nonsense']), {
    code: 2,
    stderr: 'CONFIG_BASE_URL_INVALID',
  });
  t.match(await vp(['run', '--local', 'a.md', '--ca', 'none.pem']), { code: 2, stderr: 'EXECUTOR_CA_UNREADABLE' });
});

t.test('placeholders are checked against the config before anything is sent', async (t) => {
  const { vp } = createWorkspace(t, 'http://127.0.0.1:9', {
    'a.md': scenarioText('RT-a', { path: '/x?t=${API_TOKEN}' }),
  });
  t.match(await vp(['run', '--local', 'a.md']), { code: 2, stderr: 'SCENARIO_PLACEHOLDER_SECRET' });
});

t.test('contradicting flags are refused', async (t) => {
  const { vp } = createWorkspace(t, 'http://127.0.0.1:9', { 'a.md': scenarioText('RT-a') });
  for (const flag of ['--jobs 2', '--base-url http://x', '--product-dir p', '--test-dir p']) {
    const { code, stderr } = await vp(`run a ${flag}`.split(' '));
    t.match({ code, stderr }, { code: 2, stderr: 'FLAG_NEEDS_ANOTHER' }, flag);
    t.match(stderr, / can be used only with --local .*\n +add --local, or omit --/);
  }
  const address = 'http://127.0.0.1:1';
  for (const flag of ['--direct', '--instance shop', `--control-plane ${address}`, '--allow-insecure']) {
    const { code, stderr } = await vp(`run a.md --local ${flag}`.split(' '));
    t.match({ code, stderr }, { code: 2, stderr: 'FLAG_CONTRADICTED' }, flag);
    t.match(stderr, / cannot be combined with --local .*\n +omit one of the two/);
  }
  const inline = await vp(['run', 'a.md', '--local', `--control-plane=${address}`]);
  t.match(inline, { code: 2, stderr: '--control-plane cannot be combined with --local' });
  const variables = { VP_CONTROL_PLANE: address, VP_ALLOW_INSECURE: '1' };
  t.equal((await vp(['run', 'a.md', '--local'], { variables })).code, 4, 'a variable is for every call');
  for (const line of [
    'run a --repeat 0',
    'run a --repeat 1.5',
    'run a --local --jobs 1000',
    'run a --report html',
    'run a --report pdf=x.pdf',
    'run a --report html=',
    'run a --report html=x --report text=./x',
  ]) {
    const { code, stderr } = await vp(line.split(' '));
    t.match({ code, stderr }, { code: 2, stderr: 'FLAG_INVALID' }, line);
  }
  const many = await vp(['run', '--local', 'a.md', '--repeat', '1001', '--report', 'text=t']);
  t.match(many, { code: 2, stderr: /--report holds 1000 runs at most, these are 1001/ });
});

t.test('--json writes one document and nothing else', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp } = createWorkspace(t, origin, { 'a.md': scenarioText('RT-a', failing), 'b.md': scenarioText('RT-b') });
  const { code, stdout, stderr } = await vp(['run', '--local', '--json', 'a.md', 'b.md']);
  t.equal(code, 1);
  t.equal(stderr, '');
  t.match(JSON.parse(stdout), {
    summary: { total: 2, passed: 1, failed: 1, broken: 0, cancelled: 0, unfinished: 0, exit_code: 1 },
    runs: [
      {
        outcome: 'failed',
        file: 'a.md',
        result: 'failed',
        origin: 'local',
        instance: 'local',
        failure: { kind: 'body_mismatch' },
        failed_checks: [{ line: firstCheckLine + 1, actual: '3' }],
      },
      { outcome: 'passed', assertions_enforced_count: 0, observed_status: 200 },
    ],
    unfinished: [],
    error: null,
  });
});

t.test('report files are written in every format, also when checks are false', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp, folder } = createWorkspace(t, origin, {
    'a.md': scenarioText('RT-a', failing),
    'b.md': scenarioText('RT-b'),
  });
  const files = { text: 'out/r.txt', json: 'out/r.json', junit: 'out/deep/r.xml', html: 'out/r.html' };
  const flags = Object.entries(files).flatMap(([format, file]) => ['--report', `${format}=${file}`]);
  t.equal((await vp(['run', '--local', 'a.md', 'b.md', ...flags])).code, 1);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  t.match(read(files.text), /✕ RT-a[\s\S]*a\.md:19:3[\s\S]*2 runs: 1 passed, 1 failed/);
  t.match(JSON.parse(read(files.json)).summary, { total: 2, failed: 1 });
  t.match(read(files.junit), /<testsuites name="vp" tests="2" failures="1"/);
  t.match(read(files.html), /^<!doctype html>[\s\S]*RT-a/i);

  const refused = await vp(['run', '--local', 'b.md', '--report', 'html=product/platform-config.yaml/x.html']);
  t.match(refused, { code: 4, stderr: 'RUN_REPORT_UNWRITABLE', stdout: '' }, 'told before anything is run');
  const reportInFolder = await vp(['run', '--local', 'b.md', '--report', 'html=out', '--report', 'text=late.txt']);
  t.match(
    reportInFolder,
    { code: 4, stderr: /the report out cannot be written \(EISDIR, RUN_REPORT_UNWRITABLE/, stdout: '' },
    'so is a folder',
  );
  const slash = await vp(['run', '--local', 'b.md', '--report', 'html=new/']);
  t.match(slash, { code: 2, stderr: /must name a file, not a folder/, stdout: '' });
  t.notOk(existsSync(join(folder, 'late.txt')));
});

t.test('where nothing could be run, no report file of an earlier run stays', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp, folder } = createWorkspace(t, origin, { 'a.md': scenarioText('RT-a') });
  const flags = ['--report', 'junit=out/r.xml', '--report', 'html=out/r.html'];
  const listReports = () => readdirSync(join(folder, 'out')).sort();
  t.equal((await vp(['run', '--local', 'a.md', ...flags])).code, 0);
  t.same(listReports(), ['r.html', 'r.xml']);
  writeFileSync(join(folder, 'a.md'), '# Scenario: GET nothing\n');
  t.equal((await vp(['run', '--local', 'a.md', ...flags])).code, 2);
  t.same(listReports(), []);
});

t.test('a refused line leaves no report file of an earlier run', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp, folder } = createWorkspace(t, origin, { 'a.md': scenarioText('RT-a') });
  const report = join(folder, 'out', 'r.xml');
  const flags = ['--report', 'junit=out/r.xml'];
  const lines: readonly (readonly [code: string, ...line: string[]])[] = [
    ['FLAG_UNKNOWN', 'run', '--local', 'a.md', ...flags, '--job', '3'],
    ['FLAG_INVALID', 'run', '--local', 'a.md', '--report=junit=out/r.xml', '--repeat', 'often'],
    ['FLAG_INVALID', 'run', '--local', 'a.md', ...flags, '--repeat', '0'],
    ['FLAG_CONTRADICTED', 'run', '--local', '--direct', 'a.md', ...flags],
    ['FLAG_INVALID', 'run', '--local', 'a.md', ...flags, '--report', 'jnit=out/other.xml'],
    ['RUN_REPORT_UNWRITABLE', 'run', '--local', 'a.md', ...flags, '--report', 'text=out'],
    ['FLAG_NEEDS_ANOTHER', 'run', 'RT-a', '--watch', ...flags],
    ['COMMAND_WORD_EMPTY', 'run', '--local', '', ...flags],
    ['FLAG_UNKNOWN', 'prove', '--local', 'a.md', ...flags, '--often'],
    [
      'CONTROL_PLANE_UNREACHABLE',
      'runs',
      'show',
      '20261120T143012345',
      '--control-plane',
      'http://127.0.0.1:9',
      ...flags,
    ],
    ['FLAG_INVALID', 'suites', 'show', 's20261120T143012345', ...flags, '--report', 'html=new/'],
    ['FLAG_UNKNOWN', 'suites', 'show', 's20261120T143012345', ...flags, '--exit'],
  ];
  for (const [code, ...line] of lines) {
    mkdirSync(join(folder, 'out'), { recursive: true });
    writeFileSync(report, '<testsuites/>');
    const refused = await vp(line);
    t.match(refused, { stderr: code }, line.join(' '));
    t.not(refused.code, 0);
    t.notOk(existsSync(report), line.join(' '));
  }
  writeFileSync(report, '<testsuites/>');
  await vp(['run', '--local', '--often', '--', ...flags]);
  t.ok(existsSync(report), 'behind `--` nothing is a flag');
  await vp(['run', '--report', 'junit=out/r.xml', '--help']);
  t.ok(existsSync(report), 'help is no call');
});

t.test('paths in a JUnit file are those of the checkout, and the other reports are its attachments', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp, folder } = createWorkspace(t, origin, { 'api/scenarios/a.md': scenarioText('RT-a', failing) });
  const flags = ['--report', 'junit=out/vp.xml', '--report', 'html=out/vp.html'];
  for (const name of ['CI_PROJECT_DIR', 'GITHUB_WORKSPACE', 'WORKSPACE']) {
    await vp(['run', '--local', 'api/scenarios/a.md', ...flags], { variables: { [name]: join(folder, '..') } });
    const base = folder.split('/').at(-1) ?? '';
    const xml = readFileSync(join(folder, 'out/vp.xml'), 'utf8');
    t.match(xml, ` file="${base}/api/scenarios/a.md" line="19"`, name);
    t.match(xml, `<system-out>[[ATTACHMENT|${base}/out/vp.html]]</system-out>`, name);
  }
  await vp(['run', '--local', join(folder, 'api/scenarios/a.md'), ...flags]);
  t.match(
    readFileSync(join(folder, 'out/vp.xml'), 'utf8'),
    ' file="api/scenarios/a.md"',
    'the current folder without CI',
  );
});

t.test('a repetition prints a summary and explains failures', async (t) => {
  let count = 0;
  const { origin } = await startTarget(t, (request, response, arrived) => {
    count += 1;
    respondWithJson({ count: count % 10 === 0 ? 4 : 3 })(request, response, arrived);
  });
  const text = scenarioText('RT-a', { checks: ['status=200', 'body has count equals 3'] });
  const { vp, folder } = createWorkspace(t, origin, { 'a.md': text, 'b.md': text.replaceAll('RT-a', 'RT-b') });
  const { code, stdout } = await vp(['run', '--local', 'a.md', 'b.md', '--repeat', '150', '--jobs', '3']);
  t.equal(code, 1);
  t.match(
    stdout,
    /300 runs: 270 passed, 30 failed in .*\n[\d,]+ runs\/s · p50 .* ms · p95 .* · p99 .* · slowest .*\n$/,
  );
  t.equal(stdout.match(/✕ RT-/g)?.length, 10, 'the first ten are explained');
  t.match(stdout, 'further runs that did not pass are only counted');
  t.notMatch(stdout, '✓');

  const { summary, runs } = JSON.parse((await vp(['run', '--local', '--json', 'a.md', '--repeat', '300'])).stdout);
  t.match(summary, {
    total: 300,
    passed: 270,
    failed: 30,
    repetition: { sets: 300, p50_ms: Number, rate_per_s: Number },
  });
  t.equal(runs.length, 20);
  t.ok(runs.every((run: { outcome: string }) => run.outcome === 'failed'));
  const { p50_ms, p95_ms, p99_ms, slowest_ms } = summary.repetition;
  t.ok(0 < p50_ms && p50_ms <= p95_ms && p95_ms <= p99_ms && p99_ms <= slowest_ms);

  await vp(['run', '--local', 'a.md', '--repeat', '20', '--report', 'json=all.json']);
  t.equal(JSON.parse(readFileSync(join(folder, 'all.json'), 'utf8')).summary.total, 20);
});

t.test('jobs run in parallel, and reports keep the order of the arguments', async (t) => {
  const responders: (() => void)[] = [];
  const { origin } = await startTarget(t, (request, response, arrived) => {
    const respond = (): void => respondWithJson({})(request, response, arrived);
    if (arrived.url === '/slow') responders.push(respond);
    else responders.unshift(respond);
    if (responders.length === 3) for (const respondInOrder of responders) respondInOrder();
  });
  const { vp } = createWorkspace(t, origin, {
    'a.md': scenarioText('RT-a', { path: '/slow' }),
    'b.md': scenarioText('RT-b'),
    'c.md': scenarioText('RT-c'),
  });
  const { stdout } = await vp(['run', '--local', '--json', '--jobs', '3', 'a.md', 'b.md', 'c.md']);
  t.equal(responders.length, 3, 'all were open at once, as none is answered before');
  const { runs } = JSON.parse(stdout);
  t.same(
    runs.map((run: { scenario: { id: string } }) => run.scenario.id),
    ['RT-a', 'RT-b', 'RT-c'],
  );
  t.equal(new Set(runs.map((run: { run_id: string }) => run.run_id)).size, 3);
});

t.test('Ctrl-C cancels running runs, writes the results so far and exits 130', async (t) => {
  const { origin } = await startTarget(t, (request, response, arrived) => {
    if (arrived.url !== '/never') respondWithJson({})(request, response, arrived);
  });
  const { start, folder } = createWorkspace(t, origin, {
    'a.md': scenarioText('RT-a'),
    'b.md': scenarioText('RT-b', { path: '/never' }),
    'c.md': scenarioText('RT-c'),
  });
  const { ended, written, interrupt } = start(['run', '--local', 'a.md', 'b.md', 'c.md', '--report', 'json=r.json']);
  await eventually(() => written.stdout, { until: (text) => text.includes('RT-a') });
  interrupt();
  t.equal(await ended, 130);
  t.match(
    written.stdout,
    /✓ RT-a[\s\S]*- RT-b {2}cancelled[\s\S]*… RT-c .*not run[\s\S]*3 runs: 1 passed, 1 cancelled, 1 not run/,
  );
  t.match(JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8')).summary, {
    total: 3,
    passed: 1,
    cancelled: 1,
    unfinished: 1,
  });
});

t.test('control characters of a target or a scenario never reach the terminal', async (t) => {
  const { origin } = await startTarget(t, respondWithJson({ data: '\u001b[2J\u202e\u0007', count: 1 }));
  const { vp } = createWorkspace(t, origin, {
    'a.md': scenarioText('RT-a', { checks: ['body has data equals x'] }),
    'b.md': scenarioText('RT-b', { checks: ['status=\u202e200'] }),
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  const raw = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/;
  const failed = await vp(['run', '--local', 'a.md']);
  t.equal(failed.code, 1);
  t.notMatch(failed.stdout, raw);
  const refused = await vp(['run', '--local', 'b.md']);
  t.equal(refused.code, 2);
  t.notMatch(refused.stderr, raw);
});

t.test('colours are for terminals only', async (t) => {
  const { origin } = await startTarget(t, answer);
  const { vp } = createWorkspace(t, origin, { 'a.md': scenarioText('RT-a', failing) });
  const line = ['run', '--local', 'a.md'];
  const tty = { isTTY: true, columns: 100 };
  t.notMatch((await vp(line)).stdout, '\u001b');
  t.match((await vp(line, { stdout: tty })).stdout, '\u001b[31m');
  t.notMatch((await vp(line, { stdout: tty, variables: { NO_COLOR: '1' } })).stdout, '\u001b');
});
