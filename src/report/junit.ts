/**
 * JUnit XML as CI systems read it (the schema of Jenkins' xUnit plugin and of Maven Surefire agree on these elements): a
 * false check is a `failure`; what could not be judged, was cancelled or did not finish is an `error`, never a skip, so
 * that nothing looks green without having been judged.
 */
import { type Markup, markup } from './markup.ts';
import { outcomeOf } from './outcome.ts';
import { plainPaint } from './paint.ts';
import type { Report } from './report.ts';
import type { Results, ScenarioSource, UnfinishedRun } from './results.ts';
import { textReport } from './text.ts';
import { proofLines } from './text-proof.ts';

/** A suite: each scenario once, as asked for; with `--repeat` there are several. */
type Suite = {
  readonly name: string;
  readonly instance: string;
  readonly reports: Report[];
  unfinished: UnfinishedRun[];
};

/** The document, with a suite for each instance and repetition. */
export function junitResults(results: Results): string {
  const suites = suitesOf(results);
  const totals = countsOf(results.reports, results.unfinished);
  const seconds = secondsText(results.finishedAtMs - results.startedAtMs);
  const document = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="vp" ${totals} time="${seconds}" timestamp="${moment(results.startedAtMs)}">
${suites.map((suite) => suiteMarkup(suite, results))}</testsuites>
`;
  return document.text;
}

/** The nth run of a scenario belongs to the nth set, whatever the order in which runs ended. */
function suitesOf({ reports, unfinished }: Results): Suite[] {
  const suites = new Map<string, Suite>();
  const seen = new Map<string, number>();
  const suiteOf = (instance: string, scenarioId: string): Suite => {
    const key = JSON.stringify([instance, scenarioId]);
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    const name = nth === 1 ? instance : `${instance} #${nth}`;
    const suite = suites.get(name) ?? { name, instance, reports: [], unfinished: [] };
    suites.set(name, suite);
    return suite;
  };
  for (const report of reports) suiteOf(report.instance, report.scenario.id).reports.push(report);
  for (const run of unfinished) suiteOf(run.instance, run.scenarioId).unfinished.push(run);
  return [...suites.values()];
}

function suiteMarkup({ name, instance, reports, unfinished }: Suite, { version, sources }: Results): Markup {
  const times = reports.map(({ timings }) => timings.total_ms);
  const seconds = secondsText(times.reduce((sum, ms) => sum + ms, 0));
  const started = reports[0] ? markup` timestamp="${reports[0].started_at}"` : null;
  return markup`  <testsuite name="${name}" ${countsOf(reports, unfinished)} time="${seconds}"${started}>
    <properties>
${properties({ 'vp.version': version, 'vp.instance': instance }, '      ')}    </properties>
${reports.map((report) => caseMarkup(report, sources.get(report.scenario.id)))}${unfinished.map(unfinishedMarkup)}  </testsuite>
`;
}

function countsOf(reports: readonly Report[], unfinished: readonly UnfinishedRun[]): Markup {
  const outcomes = reports.map(outcomeOf);
  const failures = outcomes.filter((outcome) => outcome === 'failed').length;
  const passed = outcomes.filter((outcome) => outcome === 'passed').length;
  const tests = reports.length + unfinished.length;
  return markup`tests="${tests}" failures="${failures}" errors="${tests - failures - passed}" skipped="0"`;
}

function caseMarkup(report: Report, source: ScenarioSource | undefined): Markup {
  const { scenario, timings, assertions_enforced_count: assertions } = report;
  const file = source ? markup` file="${source.file}"` : null;
  const line = report.failed_checks[0] ? markup` line="${report.failed_checks[0].line}"` : null;
  const classname = `${report.instance}.${scenario.layer}`;
  const head = markup`name="${scenario.id}" classname="${classname}" time="${secondsText(timings.total_ms)}"`;
  return markup`    <testcase ${head} assertions="${assertions}"${file}${line}>
      <properties>
${properties(propertiesOf(report), '        ')}      </properties>
${findingMarkup(report, source)}${proofMarkup(report)}    </testcase>
`;
}

function propertiesOf(report: Report): Record<string, string> {
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

function properties(values: Readonly<Record<string, string>>, indent: string): Markup[] {
  const told = Object.entries(values).filter(([, value]) => value !== '');
  return told.map(
    ([name, value]) => markup`${indent}<property name="${name}" value="${value}"/>
`,
  );
}

function findingMarkup(report: Report, source: ScenarioSource | undefined): Markup | null {
  const outcome = outcomeOf(report);
  if (outcome === 'passed') return null;
  const text = textReport(report, plainPaint, source);
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

/** What the proof found, beside a test that passed; a failure's text has it already. */
function proofMarkup(report: Report): Markup | null {
  if (!report.proof || outcomeOf(report) !== 'passed') return null;
  return markup`      <system-out>${proofLines(report.proof, plainPaint).join('\n')}</system-out>
`;
}

function unfinishedMarkup({ scenarioId, instance, runId, state, hint }: UnfinishedRun): Markup {
  const message = `not finished: ${state.replaceAll('_', ' ')}${runId === undefined ? '' : `, run ${runId}`}`;
  return markup`    <testcase name="${scenarioId}" classname="${instance}" time="0.000">
      <error type="unfinished" message="${message}">${hint}</error>
    </testcase>
`;
}

function secondsText(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(3);
}

function moment(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
