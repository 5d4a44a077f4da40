import t from 'tap';
import type { Paint } from '../../src/report/paint.ts';
import { plainPaint } from '../../src/report/paint.ts';
import { textReport, textResults, textSummary } from '../../src/report/text.ts';
import { broken, cancelled, failed, failingText, passed, resultsOf, sampleReport } from './samples.ts';

const source = { file: 'scenarios/RT-GET-document.md', text: failingText };

t.test('what passed is one line', async (t) => {
  t.equal(
    textReport(passed(), plainPaint),
    '✓ RT-GET-document  passed  status 200 · 1 body check · 32 ms · 20261120T143012345\n',
  );
});

t.test('a false check is shown with file and line, caret, expected, actual and the part of the body', async (t) => {
  const text = textReport(failed(), plainPaint, source);
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
  cure  compare expected and actual of line 20 \`body has count matching ^[1-9][0-9]*$\`; then correct the target or the scenario
`,
  );
});

t.test('without the file the check itself is shown', async (t) => {
  const text = textReport(failed(), plainPaint);
  t.match(text, 'RT-GET-document, line 20\n');
  t.match(text, '     20 | body has count matching ^[1-9][0-9]*$\n        | ^^^^');
});

t.test('a file that changed since does not confuse', async (t) => {
  const text = textReport(failed(), plainPaint, { file: 'x.md', text: 'short\n' });
  t.match(text, 'x.md:20:3\n     20 | body has count');
});

t.test('carets stand below the check behind tabs and escaped characters', async (t) => {
  const lines = failingText.split('\n');
  lines[19] = '\t\u001b- body has count matching ^[1-9][0-9]*$';
  const report = failed();
  const moved = { ...report, failed_checks: report.failed_checks.map((check) => ({ ...check, column: 5 })) };
  const text = textReport(moved, plainPaint, { file: 'x.md', text: lines.join('\n') });
  const [line = '', carets = ''] = text.split('\n').slice(4, 6);
  t.equal(carets.indexOf('^'), line.indexOf('body has'));
  t.notMatch(text, '\u001b');
});

t.test('a status mismatch shows the beginning of the body that came instead', async (t) => {
  const text = textReport(sampleReport(['status=200'], { status: 500, body: { error: 'boom' } }), plainPaint);
  t.match(text, 'responder returned status 500 (codes=[200])');
  t.match(text, '    expected  200\n    actual    500\n');
  t.match(text, '"error": "boom"');
});

t.test('what could not be judged says so, why, and that no answer came', async (t) => {
  const text = textReport(broken(), plainPaint);
  t.match(text, /^! RT-GET-document {2}could not be judged/);
  t.match(text, 'no answer within 30 s');
  t.match(text, 'received  no answer');
  t.match(text, 'cure  look at the target');
});

t.test('where nothing was sent there is no line of the target’s log to find', async (t) => {
  const report = broken();
  const unsent = textReport({ ...report, exchange: { request: null, response: null } }, plainPaint);
  t.match(unsent, '  sent      nothing\n');
  t.match(unsent, /^ {2}id {8}tr-\S+$/m);
  t.match(textReport(report, plainPaint), 'find the log line of the target by it');
});

t.test('sentences are wrapped to the width at spaces, values and bodies are not', async (t) => {
  const paint: Paint = { ...plainPaint, proseWidth: 60 };
  const text = textReport({ ...failed(), notes: ['a note '.repeat(20).trim()] }, paint, source);
  t.match(text, "\n  status matched but the response body did not satisfy the\n  scenario's body assertion\n");
  t.match(text, /\n {2}cure {2}compare expected .*\n {8}\S.*\n {8}\S/);
  t.match(text, /\n {2}note {2}a note .*\n {8}\S/);
  for (const line of text.split('\n')) if (/^ {2}(cure|note)|^ {8}\S/.test(line)) t.ok(line.length <= 60, line);
  t.match(text, '     20 | - body has count matching ^[1-9][0-9]*$\n');
  t.match(textReport(failed(), plainPaint), /\n {2}cure {2}.* the scenario\n$/, 'one line where there is no terminal');
});

t.test('a cancelled run is told as one', async (t) => {
  const text = textReport(cancelled(), plainPaint);
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
  const text = textReport({ ...report, notes: [evil] }, plainPaint, { file: evil, text: evil });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  t.notMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});

t.test('colour comes from the caller and means the outcome', async (t) => {
  const tag = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
  const paint: Paint = {
    proseWidth: Number.POSITIVE_INFINITY,
    passed: tag('p'),
    failed: tag('f'),
    broken: tag('b'),
    strong: (text) => text,
    faint: (text) => text,
  };
  t.match(textReport(passed(), paint), '<p>✓</p>');
  t.match(textReport(failed(), paint), '<f>✕</f>');
  t.match(textReport(broken(), paint), '<b>!</b>');
});

t.test('the summary counts what happened', async (t) => {
  const results = resultsOf([passed(), failed(), broken(), cancelled()]);
  t.equal(
    textSummary(results, plainPaint),
    '4 runs: 1 passed, 1 failed, 1 could not be judged, 1 cancelled in 1.25 s\n',
  );
  t.equal(textSummary(resultsOf([passed()]), plainPaint), '1 run: 1 passed in 1.25 s\n');
  t.equal(textSummary(resultsOf([]), plainPaint), '0 runs: nothing was run in 1.25 s\n');
});

t.test('results tell every report, then what is unfinished and how to see it', async (t) => {
  const run = { scenarioId: 'RT-GET-folder', instance: 'sign-prod', runId: '20261120T143012999' };
  const unfinished = [{ ...run, state: 'in_progress', hint: 'see it with `vp runs 20261120T143012999`' }] as const;
  const text = textResults(resultsOf([passed(), failed()], { unfinished }));
  t.match(text, '… RT-GET-folder  in progress · 20261120T143012999  see it with `vp runs 20261120T143012999`\n');
  t.match(text, '3 runs: 1 passed, 1 failed, 1 not finished in');
});

t.test('behind a wrong status the body checks are told in short', async (t) => {
  const checks = ['status=200', ...Array.from({ length: 12 }, (_, index) => `body has field${index}`)];
  const text = textReport(sampleReport(checks, { status: 404, body: { error: 'x' } }), plainPaint);
  t.match(text, '     18 | status=200');
  t.match(text, '  also false\n    line 19  body has field0: no field `field0`; there are: error\n');
  t.match(text, '    line 28  body has field9: no field `field9`; there are: error\n    … 2 more\n');
  t.notMatch(text, '19 | body has');
});

t.test('of very many false checks the first are shown in full', async (t) => {
  const checks = Array.from({ length: 300 }, (_, index) => `body has field${index}`);
  const text = textReport(sampleReport(checks, { status: 200, body: {} }), plainPaint);
  t.equal(text.split('    expected').length - 1, 10);
  t.match(text, '… 280 more');
  t.ok(text.split('\n').length < 90);
});
