/** What each format says of failures in quarantine: never a failure, and never nothing. */
import t from 'tap';
import { renderCodeQuality } from '../../src/report/code-quality.ts';
import { renderCtrf } from '../../src/report/ctrf.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { renderJson } from '../../src/report/json.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { getExitCode, tallyOutcomes } from '../../src/report/outcome.ts';
import type { Report } from '../../src/report/report.ts';
import { renderSarif } from '../../src/report/sarif.ts';
import { renderForAgent } from '../../src/report/text/agent-text.ts';
import { renderText } from '../../src/report/text/render-text.ts';
import { findSchemaProblems, parseXml } from './junit-schema.ts';
import { broken, createResults, failed, failingText, passed } from './report-fixtures.ts';

const quarantine = { until: '2026-12-31T23:59:59.999Z', reason: 'the index is rebuilt', owner: 'ana' };
const apart = (report: Report): Report => ({ ...report, quarantine });
const words = 'in quarantine until 2026-12-31 (ana): the index is rebuilt';
const sources = new Map([['RT-GET-document', { file: 'scenarios/a.md', text: failingText }]]);
const others = passed({ runId: '20261120T143012346' });
const results = createResults([apart(failed()), others], { sources });
const mixed = createResults([apart(failed()), failed({ runId: '20261120T143012347' })], { sources });

t.test('it makes no exit code, and what fails beside it does', async (t) => {
  const toCode = (...reports: Report[]): number => getExitCode(tallyOutcomes(reports));
  t.equal(toCode(apart(failed()), passed()), 0);
  t.equal(toCode(apart(broken())), 0);
  t.equal(toCode(apart(failed()), failed()), 1);
  t.equal(toCode(apart(failed()), broken()), 4);
  t.match(tallyOutcomes([apart(failed()), apart(passed())]), { failed: 0, quarantined: 1, passed: 1, total: 2 });
});

t.test('the text names the failure, the quarantine and the scenario', async (t) => {
  const text = renderText(results);
  t.match(text, '✕ RT-GET-document  failed, in quarantine until 2026-12-31');
  t.match(text, words);
  t.match(text, 'body has count matching');
  t.match(
    text,
    /2 runs: 1 passed, 1 failed in quarantine in .*\nfailed in quarantine, which does not count: RT-GET-document\n/,
  );
  t.match(renderText(createResults([apart(passed())])), 'passed, in quarantine until 2026-12-31');
});

t.test('JUnit skips it, with its failure as the message', async (t) => {
  const xml = renderJunit(results);
  t.same(findSchemaProblems(parseXml(xml)), []);
  t.match(xml, '<testsuites name="vp" tests="2" failures="0" errors="0"');
  t.match(xml, 'skipped="1"');
  t.match(xml, `<skipped message="${words}: body has count matching`);
  t.match(xml, `<property name="vp.quarantine" value="${words}"/>`);
  t.match(renderJunit(mixed), 'failures="1" errors="0"');
});

t.test('SARIF has it as a suppressed note', async (t) => {
  const [run] = JSON.parse(renderSarif(mixed)).runs;
  t.match(run.results, [
    { level: 'note', suppressions: [{ kind: 'external', status: 'accepted', justification: words }] },
    { level: 'error', suppressions: [] },
  ]);
  t.match(run.results[0].message.text, /body has count matching.*in quarantine/s);
  const [withoutFile] = JSON.parse(renderSarif(createResults([apart(failed())]))).runs;
  t.match(withoutFile.invocations, [{ executionSuccessful: true, toolExecutionNotifications: [{ level: 'note' }] }]);
  const [plain] = JSON.parse(renderSarif(createResults([failed()], { sources }))).runs;
  t.notOk('suppressions' in plain.results[0]);
});

t.test('CTRF skips it and says why', async (t) => {
  const { summary, tests } = JSON.parse(renderCtrf(results)).results;
  t.match(summary, { tests: 2, passed: 1, failed: 0, skipped: 1 });
  t.match(tests[0], { status: 'skipped', rawStatus: 'failed, in quarantine', extra: { quarantine } });
  t.match(tests[0].message, /^in quarantine until 2026-12-31 .*body has count matching/);
});

t.test('GitLab gets it as information', async (t) => {
  t.match(JSON.parse(renderCodeQuality(results)), [
    { severity: 'info', description: /in quarantine .*body has count/ },
  ]);
});

t.test('the summary in Markdown is green, counts it, and lists it after what counts', async (t) => {
  const text = renderMarkdown(results);
  t.match(text, '### ✅ 1 of 2 runs passed, 1 failed in quarantine\n');
  t.match(text, '1 passed, 1 failed in quarantine in');
  t.match(text, /failed<br><code>in quarantine until 2026-12-31/);
  const both = renderMarkdown(mixed);
  t.match(both, '### ❌ 1 of 2 runs did not pass, 1 more failed in quarantine\n');
  t.ok(both.indexOf('| failed |') < both.indexOf('| failed<br>'));
});

t.test('JSON counts it apart and keeps its outcome', async (t) => {
  t.match(JSON.parse(renderJson(results)), {
    summary: { total: 2, failed: 0, passed: 1, quarantined: 1 },
    runs: [{ outcome: 'failed', result: 'failed', quarantine }, { outcome: 'passed' }],
  });
});

t.test('the page lists it under a heading of its own', async (t) => {
  const page = renderHtml(results);
  t.match(page, '<title>1 passed, 1 failed in quarantine</title>');
  t.match(page, '<h2>Failed in quarantine</h2>');
  t.notMatch(page, '<h2>Did not pass</h2>');
  t.match(page, `It is ${words}. Its failure does not count.`);
  t.match(page, 'id="filter-quarantined"');
});

t.test('an agent reads the quarantine beside the failure', async (t) => {
  t.match(renderForAgent(results), words);
});
