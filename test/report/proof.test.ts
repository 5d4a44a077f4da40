import t from 'tap';
import { judge } from '../../src/judge/judge.ts';
import { prove } from '../../src/judge/prove/prove.ts';
import { toObservation } from '../../src/judge/to-observation.ts';
import { buildReport } from '../../src/report/build/build-report.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { getProofOutcome } from '../../src/report/proof-labels.ts';
import type { Report } from '../../src/report/report.ts';
import { renderReport } from '../../src/report/text/render-text.ts';
import { plainStyles } from '../../src/report/text/text-styles.ts';
import { createEvidence, createScenario } from '../judge/evidence-fixtures.ts';
import { findMarkupProblem } from './markup-problem.ts';
import { createResults, request } from './report-fixtures.ts';

function provenReport(checks: readonly string[], body: { readonly [key: string]: string | number }): Report {
  const scenario = createScenario(...checks);
  const evidence = createEvidence({ status: 200, body });
  const verdict = judge(scenario, evidence);
  return buildReport(request, scenario, verdict, evidence, '0.4.0', prove(verdict, toObservation(evidence)));
}

const idle = provenReport(['status=200', 'body has count matching .*', 'body has state'], {
  count: 3,
  state: '<ok>',
  more: 'yes',
});

t.test('a report rates each check, those that need attention first', async (t) => {
  t.match(idle.proof, {
    checks: [
      { line: 18, verdict: 'proven' },
      { line: 19, verdict: 'never_fails', covered_by: [] },
      { line: 20, verdict: 'proven', example: '`state` is gone', advice: null },
    ],
    unchecked: [{ pointer: '/more', value: '"yes"', suggestion: 'body has more equals yes' }],
    problem: null,
  });
  const text = renderReport(idle, plainStyles);
  t.match(
    text,
    /^✓ RT-GET-document {2}passed .*\n {2}proof {2}1 never fails, 2 proven · \d+ changes tried\n {4}✕ line 19/,
  );
  t.match(text, '    ✓ line 18  status=200\n        fails when status 500 instead of 200\n');
  t.match(text, '    - body has more equals yes  now "yes"\n');
});

t.test('a report without a proof has no proof section', async (t) => {
  const none = { ...idle, proof: null };
  t.notMatch(renderReport(none, plainStyles), 'proof');
  t.notMatch(renderHtml(createResults([none])), 'Proof');
  t.notMatch(renderJunit(createResults([none])), 'system-out');
});

t.test('a run that failed says why nothing was proven', async (t) => {
  const failed = provenReport(['status=200', 'body has absent'], { a: 1 });
  t.match(
    renderReport(failed, plainStyles),
    '  proof  nothing was proven, because the run failed: fix the failure first',
  );
  t.match(renderHtml(createResults([failed])), 'nothing was proven, because the run failed');
});

t.test('HTML and JUnit contain the proof, escaped', async (t) => {
  const html = renderHtml(createResults([idle]));
  t.match(html, '<td class="failed">never fails</td>');
  t.match(html, '<td class="mono">body has more equals yes</td>');
  const junit = renderJunit(createResults([provenReport(['status=200'], { 'a<b': ']]>&' })]));
  t.match(junit, '<system-out>  proof  1 proven');
  t.match(junit, 'now &quot;]]&gt;&amp;&quot;');
  t.equal(findMarkupProblem(junit), undefined);
  t.equal(findMarkupProblem(html), undefined);
});

t.test('the outcome of a proof', async (t) => {
  t.equal(getProofOutcome(idle.proof), 'weak');
  t.equal(getProofOutcome(provenReport(['status=200'], {}).proof), 'proven');
  t.equal(getProofOutcome(null), 'unknown');
  t.equal(getProofOutcome(provenReport(['status=404'], {}).proof), 'unknown');
  const [check] = idle.proof?.checks ?? [];
  t.ok(check);
  if (check && idle.proof)
    t.equal(getProofOutcome({ ...idle.proof, checks: [{ ...check, verdict: 'not_tried' }] }), 'unknown');
});

t.test('every format that lists unchecked parts says where proposed arithmetic does not hold', async (t) => {
  const note = 'it should be count / perPage, rounded up, and it is not: see whether the application is wrong';
  const part = { pointer: '/totalPages', value: '2', suggestion: 'body totalPages equals ceil(count / perPage)', note };
  const report = { ...idle, proof: idle.proof && { ...idle.proof, unchecked: [part] } };
  t.match(renderReport(report, plainStyles), note);
  t.match(renderHtml(createResults([report])), note);
});
