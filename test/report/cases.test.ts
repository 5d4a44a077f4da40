import t from 'tap';
import { toReportSummary } from '../../src/agents/runs/report-summary.ts';
import { formatReport } from '../../src/agents/runs/report-text.ts';
import { createCaseCollector } from '../../src/report/build/collect-cases.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { renderJunit } from '../../src/report/junit.ts';
import type { Report } from '../../src/report/report.ts';
import { summarizeFailure } from '../../src/report/summarize-failure.ts';
import { renderReport } from '../../src/report/text/render-text.ts';
import { plainStyles } from '../../src/report/text/text-styles.ts';
import { findSchemaProblems, parseXml } from './junit-schema.ts';
import { findMarkupProblem } from './markup-problem.ts';
import { broken, createResults, failed, passed, request } from './report-fixtures.ts';

const run = { correlation_id: request.correlationId, started_at: passed().started_at };

function collect(
  reports: readonly (readonly [name: string, report: Report])[],
  unsent: readonly string[] = [],
): Report {
  const collector = createCaseCollector();
  const position = { line: 30, column: 1, offset: 0 };
  const toEntry = (name: string, index: number) => {
    const start = { ...position, line: 30 + index };
    return { name, values: new Map(), range: { start, end: start } };
  };
  for (const [index, [name, report]] of reports.entries()) collector.add(toEntry(name, index), report);
  for (const [index, name] of unsent.entries())
    collector.addUnsent(toEntry(name, reports.length + index), `${run.correlation_id}-000${index}`, 'no answers');
  return collector.build(run);
}

const mixed = () =>
  collect(
    [
      ['good', passed()],
      ['<late>', broken()],
      ['wrong', failed()],
    ],
    ['left'],
  );

t.test('a terminal names the cases that did not pass, then shows the first that failed', async (t) => {
  const text = renderReport(mixed(), plainStyles);
  t.match(text, '4 cases: 1 failed, 1 could not be judged, 1 not sent, 1 passed');
  t.match(text, /✕ wrong {2}line 32\n {14}body has count/);
  t.match(text, /! <late> {2}line 31/);
  t.match(text, 'below     the case wrong');
  t.match(text, 'case `wrong`: ');
  t.notMatch(text, '✕ good');
  const all = renderReport(
    collect([
      ['one', passed()],
      ['two', passed()],
    ]),
    plainStyles,
  );
  t.match(all, /✓ RT-GET-document {2}passed {2}2 cases: 2 passed · 2 body checks/);
});

t.test('in JUnit each case is a test case, and only cases that passed are green', async (t) => {
  const xml = renderJunit(createResults([mixed(), passed({ scenarioId: 'RT-other' })]));
  t.equal(findMarkupProblem(xml), undefined);
  t.same(findSchemaProblems(parseXml(xml)), []);
  t.match(xml, 'tests="5" failures="1" errors="2"');
  const cases = [...xml.matchAll(/<testcase name="([^"]*)"[\s\S]*?<\/testcase>/g)];
  t.same(
    cases.map(([text, name]) => [name, /<(failure|error) type="([^"]*)"/.exec(text ?? '')?.slice(1) ?? 'green']),
    [
      ['RT-GET-document [good]', 'green'],
      ['RT-GET-document [&lt;late&gt;]', ['error', 'not_judged']],
      ['RT-GET-document [wrong]', ['failure', 'case']],
      ['RT-GET-document [left]', ['error', 'not_sent']],
      ['RT-other', 'green'],
    ],
  );
});

t.test('the page lists every case, those that did not pass first', async (t) => {
  const html = renderHtml(createResults([mixed()]));
  t.match(html, 'Cases (4 cases: 1 failed');
  t.ok(html.indexOf('&lt;late&gt;') < html.indexOf('<td>good</td>'));
  t.match(renderHtml(createResults([collect([['one', passed()]])])), 'Cases (1 case: 1 passed)');
});

t.test('agents read the cases that did not pass, and which one the evidence is of', async (t) => {
  const text = formatReport(toReportSummary(mixed()));
  t.match(text, 'Cases: 4 cases: 1 failed');
  t.match(text, /wrong \(line 32\) failed: body has count/);
  t.match(text, 'Of the case wrong:');
  t.match(summarizeFailure(mixed()), /^case wrong: body has count .* \(4 cases: /);
});

t.test('a note that every case has is there once; another one names its cases', async (t) => {
  const withNotes = (...notes: string[]): Report => ({ ...passed(), notes });
  const { notes } = collect([
    ['a', withNotes('slow', 'old')],
    ['b', withNotes('slow')],
    ['c', withNotes('slow', 'old')],
  ]);
  t.same(notes, ['slow', 'old (case `a` and 1 more)']);
});

t.test('a run passes only where every case passed', async (t) => {
  t.equal(
    collect([
      ['a', passed()],
      ['b', passed()],
    ]).result,
    'passed',
  );
  t.equal(
    collect([
      ['a', passed()],
      ['b', broken()],
    ]).result,
    'failed',
  );
  t.match(
    collect([
      ['a', broken()],
      ['b', failed()],
    ]),
    { displayed_case: 'b', failure: { kind: 'body_mismatch' } },
  );
});

t.test('times of the displayed case are counted from the start of the run', async (t) => {
  const started = Date.parse(run.started_at);
  const line = { text: 'one', level: null, error: false, saga_event: false };
  const lines = { line_count: 2, error_count: 0, saga_event_count: 0, problem: null, cure: null, waited_ms: 1 };
  const report = collect([
    ['good', passed()],
    [
      'wrong',
      {
        ...failed(),
        started_at: new Date(started + 500).toISOString(),
        log: { ...lines, lines: [{ ...line, at_ms: 12.5 }, line] },
      },
    ],
  ]);
  t.equal(report.timings.before_ms, 500);
  t.same(report.log?.lines, [{ ...line, at_ms: 512.5 }, line]);
});
