import t from 'tap';
import { renderHtml } from '../../src/report/html/render-html.ts';
import type { Report, ReportLog, ReportQuery } from '../../src/report/report.ts';
import { renderReport } from '../../src/report/text/render-text.ts';
import { plainStyles } from '../../src/report/text/text-styles.ts';
import { createResults, failed, passed } from './report-fixtures.ts';

const log: ReportLog = {
  line_count: 12,
  error_count: 1,
  saga_event_count: 2,
  lines: [
    { text: '{"level":30,"msg":"request"}', level: '30', error: false, saga_event: false },
    { text: '{"level":50,"msg":"boom \u001b[31m<b>"}', level: '50', error: true, saga_event: true },
  ],
  problem: null,
  cure: null,
  waited_ms: 12,
};
const query: ReportQuery = {
  name: 'signed',
  line: 14,
  sql: 'SELECT id, status FROM document WHERE id = $1',
  columns: ['id', 'status'],
  rows: [
    ['42', 'stored'],
    ['7', null],
  ],
  row_count: 2,
  truncated: false,
  duration_ms: 3,
  problem: null,
  cure: null,
};
const withEvidence = (report: Report, more: Partial<Report> = {}): Report => ({
  ...report,
  log,
  queries: [query],
  ...more,
});
const text = (report: Report): string => renderReport(report, plainStyles);
const html = (report: Report): string => renderHtml(createResults([report]));

t.test('a failing run lists log lines and query rows, errors first', async (t) => {
  const output = text(withEvidence(failed()));
  t.match(
    output,
    /log {7}12 lines, 1 error, 2 saga events\n +\{"level":50.*\\u001b\[31m.*\n +\{"level":30.*\n +… 10 more/,
  );
  t.match(output, /query {5}signed, line 14: 2 rows\n +id {2}status\n +42 {2}stored\n +7 {3}null\n/);
  t.notMatch(output, /find the log line/, 'it is there');
});

t.test('a passing run is one line, with the count of log and database checks', async (t) => {
  const output = text(withEvidence(passed(), { evidence_assertions_count: 3 }));
  t.match(output, /1 body check · 3 of log and database/);
  t.notMatch(output, /log {7}/);
});

t.test('unavailable evidence is explained with a fix', async (t) => {
  const absent = { ...log, line_count: 0, lines: [], problem: 'no log is read', cure: 'start it with --log' };
  const refused = { ...query, rows: [], row_count: 0, problem: 'permission denied', cure: 'GRANT SELECT' };
  const report = withEvidence(failed(), { log: absent, queries: [refused] });
  t.match(text(report), /log {7}no log is read\n +start it with --log/);
  t.match(text(report), /query {5}signed, line 14: permission denied\n +GRANT SELECT/);
  t.match(html(report), /<p>no log is read<\/p><p><b>How to fix<\/b> start it with --log<\/p>/);
  t.match(html(report), /<p>permission denied<\/p>/);
});

t.test('the page contains log and database, escaped', async (t) => {
  const page = html(withEvidence(failed()));
  t.match(page, /<p><b>Log<\/b><\/p><p>12 lines, 1 error, 2 saga events<\/p>/);
  t.match(page, /<mark>\{&quot;level&quot;:50.*&lt;b&gt;/);
  t.match(page, /<p><b>Database<\/b><\/p>.*signed/s);
  t.match(page, /<td class="mono">stored<\/td>/);
  t.notMatch(html(failed()), /<b>Log</, 'nothing where nobody looked');
});

t.test('more rows than were read', async (t) => {
  t.match(
    text(withEvidence(failed(), { queries: [{ ...query, truncated: true }] })),
    /signed, line 14: more than 2 rows/,
  );
});
