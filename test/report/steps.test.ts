import t from 'tap';
import { toReportSummary } from '../../src/agents/runs/report-summary.ts';
import { formatReport } from '../../src/agents/runs/report-text.ts';
import { createStepFailureVerdict, judge } from '../../src/judge/judge.ts';
import { createUnjudgedStep, describeCleanupFailures, judgeStep } from '../../src/judge/judge-step.ts';
import { buildReport } from '../../src/report/build/build-report.ts';
import { renderHtml } from '../../src/report/html/render-html.ts';
import { renderJunit } from '../../src/report/junit.ts';
import type { Report } from '../../src/report/report.ts';
import { renderReport } from '../../src/report/text/render-text.ts';
import { plainStyles } from '../../src/report/text/text-styles.ts';
import type { Scenario, Step } from '../../src/scenario/scenario.ts';
import { createEvidence } from '../judge/evidence-fixtures.ts';
import { buildScenarioText, parseValid } from '../scenario/samples.ts';
import { findMarkupProblem } from './markup-problem.ts';
import { createResults, request } from './report-fixtures.ts';

const steps =
  '## STEPS\n\n### create\n\nPOST ${INGESTION_URL}/orders\n\n- status=201\n- body has id\n\n### pay\n\nPUT ${INGESTION_URL}/pay\n\n## TRIGGER';
const more = '## CLEANUP\n\n### remove\n\nDELETE ${INGESTION_URL}/orders\n\n- status=204';
const scenario: Scenario = parseValid(buildScenarioText({ more }).replace('## TRIGGER', steps));
const [create, pay, remove] = [...scenario.steps, ...scenario.cleanupSteps] as [Step, Step, Step];

function buildFailed(): Report {
  const evidence = createEvidence({ status: 500, body: { error: 'no stock' } });
  const { judged, failure } = judgeStep(scenario, create, evidence);
  if (!failure) throw new Error('the step fails');
  const cleanup = [judgeStep(scenario, remove, createEvidence({ status: 503, body: {} })).judged];
  const notes = describeCleanupFailures(cleanup);
  const empty = { ...evidence, request: undefined, response: undefined };
  const verdict = { ...createStepFailureVerdict(failure, scenario), notes };
  const around = { steps: [judged, createUnjudgedStep(pay, 'not_sent', undefined)], cleanup };
  return buildReport(request, scenario, verdict, empty, '0.4.0', undefined, around);
}

function buildPassed(): Report {
  const evidence = createEvidence({ status: 200, body: {} });
  const passedStep = judgeStep(scenario, create, createEvidence({ status: 201, body: { id: 1 } })).judged;
  const around = { steps: [{ ...passedStep, evidence: { ...evidence, attempts: 3 } }], cleanup: [] };
  return buildReport(request, scenario, judge(scenario, evidence), evidence, '0.4.0', undefined, around);
}

t.test('the terminal names the step that failed, what was not sent, and the cleanup', async (t) => {
  const text = renderReport(buildFailed(), plainStyles);
  t.match(text, 'step `create`: responder returned status 500 (codes=[201])');
  t.match(text, 'in the step create');
  t.match(text, /steps\n +✕ create {2}failed · status 500/);
  t.match(text, /- pay {2}not sent/);
  t.match(text, /cleanup\n +✕ remove {2}failed · status 503/);
  t.match(text, /sent {6}nothing but the steps below/);
  t.match(text, /note {2}the cleanup `remove` failed: responder returned status 503/);
});

t.test('a passed run says how many steps it had', async (t) => {
  t.match(renderReport(buildPassed(), plainStyles), /passed {2}status 200 · 0 body checks · 1 step · /);
});

t.test('JUnit and HTML have the steps and the cleanup', async (t) => {
  const xml = renderJunit(createResults([buildFailed()]));
  t.equal(findMarkupProblem(xml), undefined);
  t.match(xml, 'tests="1" failures="1" errors="0"');
  t.match(xml, '<property name="vp.steps" value="2"/>');
  t.match(xml, '<property name="vp.cleanup" value="failed"/>');
  t.match(xml, '✕ create');
  const html = renderHtml(createResults([buildFailed()]));
  t.match(html, 'Steps (2)');
  t.match(html, 'Cleanup (1)');
  t.match(html, 'no stock');
});

t.test('agents read which step failed, with its answer', async (t) => {
  const text = formatReport(toReportSummary(buildFailed()));
  t.match(text, /Step create: failed \(POST|Step create: failed \(/);
  t.match(text, 'no stock');
  t.match(text, /Step pay: not sent \(nothing sent\)/);
  t.match(text, /Cleanup remove: failed/);
  t.match(text, /Failed, line \d+ of the scenario, step create: status=201/);
});

t.test('checks of steps are listed with their step, and never counted as those under Runnable', async (t) => {
  const report = buildPassed();
  t.match(
    report.checks.map(({ text, step }) => [text, step]),
    [
      ['status=201', 'create'],
      ['body has id', 'create'],
      ['status=200', undefined],
    ],
  );
  t.equal(report.assertions_enforced_count, 0);
  t.equal(report.steps?.[0]?.attempts, 3);
});
