import t from 'tap';
import { renderObservations, renderReport, renderSummary, renderText } from '../../../src/report/text/render-text.ts';
import type { TextStyles } from '../../../src/report/text/text-styles.ts';
import { plainStyles } from '../../../src/report/text/text-styles.ts';
import { broken, cancelled, createResults, failed, failingText, passed, sampleReport } from '../report-fixtures.ts';

const source = { file: 'scenarios/RT-GET-document.md', text: failingText };

t.test('a passed run is one line', async (t) => {
  t.equal(
    renderReport(passed(), plainStyles),
    '✓ RT-GET-document  passed  status 200 · 1 body check · 32 ms · 20261120T143012345\n',
  );
});

t.test('the facts and timings of a run are broken between them where the terminal is narrow', async (t) => {
  const narrow = { ...plainStyles, proseWidth: 60 };
  t.equal(
    renderReport(passed(), narrow),
    '✓ RT-GET-document  passed  status 200 · 1 body check ·\n    32 ms · 20261120T143012345\n',
  );
  t.match(
    renderReport(failed(), narrow, source),
    / {2}timings {3}queued 2 ms, connect 1\.3 ms, first byte 31 ms,\n {12}body 31 ms, total 32 ms\n/,
  );
});

t.test(
  'a failing check is displayed with file and line, caret, expected, actual and the part of the body',
  async (t) => {
    const text = renderReport(failed(), plainStyles, source);
    t.equal(
      text,
      `✕ RT-GET-document  failed  status 200 · 32 ms · 20261120T143012345
  status matched but the response body did not satisfy the scenario's body assertion

  scenarios/RT-GET-document.md:20:3
     20 | - body has count matching ^[1-9][0-9]*$
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    expected  a value matching ^[1-9][0-9]*$
    actual    0
    body      {
                "data": [],
            >   "count": 0,
                "currentPage": 1,
                … 1 more
              }

  sent      GET http://app:3100/api/v2/document
  received  200 · 50 B · application/json
  timings   queued 2 ms, connect 1.3 ms, first byte 31 ms, body 31 ms, total 32 ms
  id        tr-20261120T143012345-x7Yz (find the log line of the target by it)
  fix   compare expected and actual of line 20 \`body has count matching ^[1-9][0-9]*$\`; then correct the target or the scenario
`,
    );
  },
);

t.test('without the file the text of the check is displayed', async (t) => {
  const text = renderReport(failed(), plainStyles);
  t.match(text, 'RT-GET-document, line 20\n');
  t.match(text, '     20 | body has count matching ^[1-9][0-9]*$\n        | ^^^^');
});

t.test('a file that has changed since is handled', async (t) => {
  const text = renderReport(failed(), plainStyles, { file: 'x.md', text: 'short\n' });
  t.match(text, 'x.md:20:3\n     20 | body has count');
});

t.test('a fix is printed once, also where it is that of the evidence', async (t) => {
  const cure = 'name the log with --log';
  const render = (cureOfLog: string): string => {
    const counts = { line_count: 0, error_count: 0, saga_event_count: 0, lines: [], waited_ms: 0 };
    const log = { ...counts, problem: 'no log is read here', cure: cureOfLog };
    const failure = { kind: 'evidence_unavailable' as const, message: 'the log could not be read', cure };
    return renderReport({ ...broken(), failure, log }, plainStyles);
  };
  t.equal(render(cure).split(cure).length, 2);
  t.match(render('another one'), /is read here\n +another one\n +fix +name the log/);
});

t.test('carets are aligned after tabs and escaped characters', async (t) => {
  const lines = failingText.split('\n');
  lines[19] = '\t\u001b- body has count matching ^[1-9][0-9]*$';
  const report = failed();
  const moved = { ...report, failed_checks: report.failed_checks.map((check) => ({ ...check, column: 5 })) };
  const text = renderReport(moved, plainStyles, { file: 'x.md', text: lines.join('\n') });
  const [line = '', carets = ''] = text.split('\n').slice(4, 6);
  t.equal(carets.indexOf('^'), line.indexOf('body has'));
  t.notMatch(text, '\u001b');
});

t.test('a status mismatch shows the beginning of the received body', async (t) => {
  const text = renderReport(sampleReport(['status=200'], { status: 500, body: { error: 'boom' } }), plainStyles);
  t.match(text, 'responder returned status 500 (codes=[200])');
  t.match(text, '    expected  200\n    actual    500\n');
  t.match(text, '"error": "boom"');
});

t.test('a run that could not be judged is reported with the reason and the missing response', async (t) => {
  const text = renderReport(broken(), plainStyles);
  t.match(text, /^! RT-GET-document {2}could not be judged/);
  t.match(text, 'no answer within 30 s');
  t.match(text, 'received  no response');
  t.match(text, 'fix   look at the target');
});

t.test('without a request there is no hint about the log of the target', async (t) => {
  const report = broken();
  const unsent = renderReport({ ...report, exchange: { request: null, response: null } }, plainStyles);
  t.match(unsent, '  sent      nothing\n');
  t.match(unsent, /^ {2}id {8}tr-\S+$/m);
  t.match(renderReport(report, plainStyles), 'find the log line of the target by it');
});

t.test('sentences are wrapped to the width at spaces, values and bodies are not', async (t) => {
  const paint: TextStyles = { ...plainStyles, proseWidth: 60 };
  const text = renderReport({ ...failed(), notes: ['a note '.repeat(20).trim()] }, paint, source);
  t.match(text, "\n  status matched but the response body did not satisfy the\n  scenario's body assertion\n");
  t.match(text, /\n {2}fix {3}compare expected .*\n {8}\S.*\n {8}\S/);
  t.match(text, /\n {2}note {2}a note .*\n {8}\S/);
  for (const line of text.split('\n')) if (/^ {2}(fix|note)|^ {8}\S/.test(line)) t.ok(line.length <= 60, line);
  t.match(text, '     20 | - body has count matching ^[1-9][0-9]*$\n');
  t.match(
    renderReport(failed(), plainStyles),
    /\n {2}fix {3}.* the scenario\n$/,
    'one line where there is no terminal',
  );
});

t.test('a cancelled run is reported as cancelled', async (t) => {
  const text = renderReport(cancelled(), plainStyles);
  t.match(text, /^- RT-GET-document {2}cancelled/);
  t.match(text, 'note  cancelled by ana; run it again');
});

t.test('a target cannot write to the terminal', async (t) => {
  const evil = '\u001b]0;title\u0007\u001b[2J\rpassed';
  const report = sampleReport(['status=200', 'body has a equals 1'], {
    status: 200,
    body: { a: evil, [evil]: evil },
    headers: [['content-type', evil]],
  });
  const text = renderReport({ ...report, notes: [evil] }, plainStyles, { file: evil, text: evil });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  t.notMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});

t.test('the style is a parameter and depends on the outcome', async (t) => {
  const tag = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
  const paint: TextStyles = {
    proseWidth: Number.POSITIVE_INFINITY,
    passed: tag('p'),
    failed: tag('f'),
    broken: tag('b'),
    strong: (text) => text,
    faint: (text) => text,
  };
  t.match(renderReport(passed(), paint), '<p>✓</p>');
  t.match(renderReport(failed(), paint), '<f>✕</f>');
  t.match(renderReport(broken(), paint), '<b>!</b>');
});

t.test('the summary counts the outcomes', async (t) => {
  const results = createResults([passed(), failed(), broken(), cancelled()]);
  t.equal(
    renderSummary(results, plainStyles),
    '4 runs: 1 passed, 1 failed, 1 could not be judged, 1 cancelled in 1.25 s\n',
  );
  t.equal(renderSummary(createResults([passed()]), plainStyles), '1 run: 1 passed in 1.25 s\n');
  t.equal(renderSummary(createResults([]), plainStyles), '0 runs: nothing was run in 1.25 s\n');
});

t.test('results contain every report, then unfinished runs with a hint', async (t) => {
  const run = { scenarioId: 'RT-GET-folder', instance: 'sign-prod', runId: '20261120T143012999' };
  const unfinished = [{ ...run, state: 'in_progress', hint: 'see it with `vp runs 20261120T143012999`' }] as const;
  const text = renderText(createResults([passed(), failed()], { unfinished }));
  t.match(text, '… RT-GET-folder  running · 20261120T143012999  see it with `vp runs 20261120T143012999`\n');
  t.match(text, '3 runs: 1 passed, 1 failed, 1 not finished in');
});

t.test('after a status mismatch the body checks are one line each', async (t) => {
  const checks = ['status=200', ...Array.from({ length: 12 }, (_, index) => `body has field${index}`)];
  const text = renderReport(sampleReport(checks, { status: 404, body: { error: 'x' } }), plainStyles);
  t.match(text, '     18 | status=200');
  t.match(text, '  follow from the wrong status\n    line 19  body has field0: no field `field0`; there are: error\n');
  t.match(text, '    line 28  body has field9: no field `field9`; there are: error\n    … 2 more\n');
  t.notMatch(text, '19 | body has');
});

t.test('of many failing checks the first are displayed in full', async (t) => {
  const checks = Array.from({ length: 300 }, (_, index) => `body has field${index}`);
  const text = renderReport(sampleReport(checks, { status: 200, body: {} }), plainStyles);
  t.equal(text.split('    expected').length - 1, 10);
  t.match(text, '… 280 more');
  t.ok(text.split('\n').length < 90);
});

t.test('the wait for the log stands apart from the duration', async (t) => {
  const report = passed();
  const waited = { ...report, timings: { ...report.timings, evidence_ms: 2010 } };
  t.match(renderReport(waited, plainStyles), /· 32 ms \+ 2\.01 s for evidence · /);
  t.match(renderReport(report, plainStyles), /· 32 ms · /);
});

t.test('observations have the exchange, the log lines and the rows, also of a run that passed', async (t) => {
  const line = { text: 'GET /x done', level: '30', error: false, saga_event: false };
  const log = {
    line_count: 1,
    error_count: 0,
    saga_event_count: 0,
    lines: [line],
    problem: null,
    cure: null,
    waited_ms: 3,
  };
  const query = {
    ...{ name: 'orders', line: 9, sql: 'select 1', columns: ['id'], rows: [['7']], row_count: 1, truncated: false },
    ...{ duration_ms: 1, problem: null, cure: null },
  };
  const text = renderObservations({ ...passed(), log, queries: [query] }, plainStyles);
  t.match(text, /^ {2}sent {6}GET .*\n {2}received {2}200 .*\n {2}timings {3}.*\n {2}id {8}tr-.*\n/);
  t.match(text, '  log       1 line\n            GET /x done\n');
  t.match(text, '  query     orders, line 9: 1 row\n            id\n            7\n');
});

t.test('what a lost executor sent is not known, which is not nothing', async (t) => {
  const failure = { kind: 'executor_lost', message: 'lost', cure: 'look' };
  const lost = { ...broken(), failure, exchange: { request: null, response: null } };
  t.match(renderReport(lost, plainStyles), '  sent      not known\n');
});
