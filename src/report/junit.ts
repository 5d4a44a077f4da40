/**
 * JUnit XML as CI systems read it (the schemas of Jenkins' xUnit plugin and of Maven Surefire agree on these elements). A
 * failing check is a `failure`; a run that could not be judged, was cancelled or did not finish is an `error`, never a skip,
 * so that nothing is green without having been judged.
 */
import { type Markup, markup } from './markup.ts';
import { getOutcome } from './outcome.ts';
import type { Report } from './report.ts';
import type { RunResults, ScenarioSource, UnfinishedRun } from './results.ts';
import { renderReport } from './text/render-text.ts';
import { formatProof } from './text/text-proof.ts';
import { plainStyles } from './text/text-styles.ts';

/** Each scenario once; with `--repeat` there are several suites. */
type TestSuite = {
  readonly name: string;
  readonly instance: string;
  readonly reports: Report[];
  unfinished: UnfinishedRun[];
};

/** One suite for each instance and repetition. */
export function renderJunit(results: RunResults): string {
  const suites = groupIntoSuites(results);
  const totals = renderCounts(results.reports, results.unfinished);
  const seconds = formatSeconds(results.finishedAtMs - results.startedAtMs);
  const document = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="vp" ${totals} time="${seconds}" timestamp="${formatMoment(results.startedAtMs)}">
${suites.map((suite) => renderSuite(suite, results))}</testsuites>
`;
  return document.text;
}

/** The nth run of a scenario belongs to the nth suite, whatever the order in which the runs ended. */
function groupIntoSuites({ reports, unfinished }: RunResults): TestSuite[] {
  const suites = new Map<string, TestSuite>();
  const runCounts = new Map<string, number>();
  const getSuite = (instance: string, scenarioId: string): TestSuite => {
    const key = JSON.stringify([instance, scenarioId]);
    const nth = (runCounts.get(key) ?? 0) + 1;
    runCounts.set(key, nth);
    const name = nth === 1 ? instance : `${instance} #${nth}`;
    const suite = suites.get(name) ?? { name, instance, reports: [], unfinished: [] };
    suites.set(name, suite);
    return suite;
  };
  for (const report of reports) getSuite(report.instance, report.scenario.id).reports.push(report);
  for (const run of unfinished) getSuite(run.instance, run.scenarioId).unfinished.push(run);
  return [...suites.values()];
}

function renderSuite({ name, instance, reports, unfinished }: TestSuite, { version, sources }: RunResults): Markup {
  const times = reports.map(({ timings }) => timings.total_ms);
  const seconds = formatSeconds(times.reduce((sum, ms) => sum + ms, 0));
  const started = reports[0] ? markup` timestamp="${reports[0].started_at}"` : null;
  return markup`  <testsuite name="${name}" ${renderCounts(reports, unfinished)} time="${seconds}"${started}>
    <properties>
${renderProperties({ 'vp.version': version, 'vp.instance': instance }, '      ')}    </properties>
${reports.map((report) => renderCase(report, sources.get(report.scenario.id)))}${unfinished.map(renderUnfinished)}  </testsuite>
`;
}

function renderCounts(reports: readonly Report[], unfinished: readonly UnfinishedRun[]): Markup {
  const outcomes = reports.map(getOutcome);
  const failures = outcomes.filter((outcome) => outcome === 'failed').length;
  const passed = outcomes.filter((outcome) => outcome === 'passed').length;
  const tests = reports.length + unfinished.length;
  return markup`tests="${tests}" failures="${failures}" errors="${tests - failures - passed}" skipped="0"`;
}

function renderCase(report: Report, source: ScenarioSource | undefined): Markup {
  const { scenario, timings, assertions_enforced_count: assertions } = report;
  const file = source ? markup` file="${source.file}"` : null;
  const line = report.failed_checks[0] ? markup` line="${report.failed_checks[0].line}"` : null;
  const classname = `${report.instance}.${scenario.layer}`;
  const head = markup`name="${scenario.id}" classname="${classname}" time="${formatSeconds(timings.total_ms)}"`;
  return markup`    <testcase ${head} assertions="${assertions}"${file}${line}>
      <properties>
${renderProperties(buildProperties(report), '        ')}      </properties>
${renderFailure(report, source)}${renderProof(report)}    </testcase>
`;
}

function buildProperties(report: Report): Record<string, string> {
  return {
    'vp.run_id': report.run_id,
    'vp.correlation_id': report.correlation_id,
    'vp.title': report.scenario.title,
    'vp.tags': report.scenario.tags.join(','),
    'vp.revision': String(report.scenario.revision ?? ''),
    'vp.origin': report.origin,
    'vp.observed_status': String(report.observed_status ?? ''),
    'vp.assertions_enforced_count': String(report.assertions_enforced_count),
    'vp.executor_version': report.executor_version,
  };
}

function renderProperties(values: Readonly<Record<string, string>>, indent: string): Markup[] {
  const present = Object.entries(values).filter(([, value]) => value !== '');
  return present.map(
    ([name, value]) => markup`${indent}<property name="${name}" value="${value}"/>
`,
  );
}

function renderFailure(report: Report, source: ScenarioSource | undefined): Markup | null {
  const outcome = getOutcome(report);
  if (outcome === 'passed') return null;
  const text = renderReport(report, plainStyles, source);
  const { kind, message } = report.failure ?? {
    kind: 'cancelled',
    message: report.notes[0] ?? 'the run was cancelled',
  };
  if (outcome === 'failed')
    return markup`      <failure type="${kind}" message="${message}">${text}</failure>
`;
  return markup`      <error type="${kind}" message="${message}">${text}</error>
`;
}

/** Only for runs that passed: the text of a failure includes the proof. */
function renderProof(report: Report): Markup | null {
  if (!report.proof || getOutcome(report) !== 'passed') return null;
  return markup`      <system-out>${formatProof(report.proof, plainStyles).join('\n')}</system-out>
`;
}

function renderUnfinished({ scenarioId, instance, runId, state, hint }: UnfinishedRun): Markup {
  const message = `not finished: ${state.replaceAll('_', ' ')}${runId === undefined ? '' : `, run ${runId}`}`;
  return markup`    <testcase name="${scenarioId}" classname="${instance}" time="0.000">
      <error type="unfinished" message="${message}">${hint}</error>
    </testcase>
`;
}

function formatSeconds(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(3);
}

function formatMoment(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
