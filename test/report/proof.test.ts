import t from 'tap';
import { judge } from '../../src/judge/judge.ts';
import { observedOf } from '../../src/judge/observed-of.ts';
import { prove } from '../../src/judge/prove/prove.ts';
import { htmlResults } from '../../src/report/html.ts';
import { junitResults } from '../../src/report/junit.ts';
import { reportOf } from '../../src/report/make.ts';
import { plainPaint } from '../../src/report/paint.ts';
import { proofOutcome } from '../../src/report/proof-words.ts';
import type { Report } from '../../src/report/report.ts';
import { textReport } from '../../src/report/text.ts';
import { evidenceOf, scenarioOf } from '../judge/samples.ts';
import { request, resultsOf } from './samples.ts';
import { problemInMarkup } from './well-formed.ts';

function provenReport(checks: readonly string[], body: { readonly [key: string]: string | number }): Report {
  const scenario = scenarioOf(...checks);
  const evidence = evidenceOf({ status: 200, body });
  const verdict = judge(scenario, evidence);
  return reportOf(request, scenario, verdict, evidence, '0.4.0', prove(verdict, observedOf(evidence)));
}

const idle = provenReport(['status=200', 'body has count matching .*', 'body has state'], {
  count: 3,
  state: '<ok>',
  more: 'yes',
});

t.test('a report says what each check is worth, what needs a look first', async (t) => {
  t.match(idle.proof, {
    checks: [
      { line: 18, verdict: 'proven' },
      { line: 19, verdict: 'never_fails', covered_by: [] },
      { line: 20, verdict: 'proven', example: '`state` is gone', advice: null },
    ],
    unchecked: [{ pointer: '/more', value: '"yes"', suggestion: 'body has more equals yes' }],
    problem: null,
  });
  const text = textReport(idle, plainPaint);
  t.match(
    text,
    /^✓ RT-GET-document {2}passed .*\n {2}proof {2}1 never fails, 2 proven · \d+ changes tried\n {4}✕ line 19/,
  );
  t.match(text, '    ✓ line 18  status=200\n        fails when status 500 instead of 200\n');
  t.match(text, '    - body has more equals yes  now "yes"\n');
});

t.test('a report without a proof says nothing of one', async (t) => {
  const none = { ...idle, proof: null };
  t.notMatch(textReport(none, plainPaint), 'proof');
  t.notMatch(htmlResults(resultsOf([none])), 'Proof');
  t.notMatch(junitResults(resultsOf([none])), 'system-out');
});

t.test('a run that failed says why nothing was proven', async (t) => {
  const failed = provenReport(['status=200', 'body has absent'], { a: 1 });
  t.match(
    textReport(failed, plainPaint),
    '  proof  nothing was proven, because the run failed: mend what failed first',
  );
  t.match(htmlResults(resultsOf([failed])), 'nothing was proven, because the run failed');
});

t.test('HTML and JUnit show the proof, what the target sent made harmless', async (t) => {
  const html = htmlResults(resultsOf([idle]));
  t.match(html, '<td class="failed">never fails</td>');
  t.match(html, '<td class="mono">body has more equals yes</td>');
  const junit = junitResults(resultsOf([provenReport(['status=200'], { 'a<b': ']]>&' })]));
  t.match(junit, '<system-out>  proof  1 proven');
  t.match(junit, 'now &quot;]]&gt;&amp;&quot;');
  t.equal(problemInMarkup(junit), undefined);
  t.equal(problemInMarkup(html), undefined);
});

t.test('what a proof comes to is one word', async (t) => {
  t.equal(proofOutcome(idle.proof), 'idle');
  t.equal(proofOutcome(provenReport(['status=200'], {}).proof), 'proven');
  t.equal(proofOutcome(null), 'untold');
  t.equal(proofOutcome(provenReport(['status=404'], {}).proof), 'untold');
  const [check] = idle.proof?.checks ?? [];
  t.ok(check);
  if (check && idle.proof)
    t.equal(proofOutcome({ ...idle.proof, checks: [{ ...check, verdict: 'not_tried' }] }), 'untold');
});
