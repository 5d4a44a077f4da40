/**
 * JUnit XML as CI systems read it: valid in the schema of Jenkins' xUnit plugin, plus what readers take beyond it, namely `file`
 * (GitLab, GitHub), `line` (GitHub), `assertions`, and the properties of a case (Jenkins). A false check is a `failure`; a run
 * that could not be judged, was cancelled or did not finish is an `error`; `skipped` are only runs that --fail-fast left out,
 * because the failure stands in the same document, and those that did not pass in quarantine, whose failure is its message: nothing
 * is green without having been judged.
 *
 * Length: a document's parts share its conventions for names, places and counts.
 */

import { describeQuarantine } from '../run/quarantine.ts';
import { locateLine } from '../scenario/embedded-files.ts';
import { getCaseOutcome, summarizeCase } from './cases.ts';
import { type Markup, markup } from './markup.ts';
import { getOutcome, isQuarantined } from './outcome.ts';
import type { Report, ReportCase } from './report.ts';
import { listProofProblems } from './result-problems.ts';
import type { RunResults, ScenarioSource, UnfinishedRun } from './results.ts';
import { summarizeFailure } from './summarize-failure.ts';
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
  const { tests, failures, errors } = countCases(results, results);
  const totals = markup`tests="${tests}" failures="${failures}" errors="${errors}"`;
  const seconds = formatSeconds(results.finishedAtMs - results.startedAtMs);
  const document = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="vp" ${totals} time="${seconds}">
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

function renderSuite({ name, instance, reports, unfinished }: TestSuite, results: RunResults): Markup {
  const times = reports.map(({ timings }) => timings.total_ms);
  const seconds = formatSeconds(times.reduce((sum, ms) => sum + ms, 0));
  const started = reports[0] ? markup` timestamp="${reports[0].started_at}"` : null;
  const { tests, failures, errors, skipped } = countCases({ reports, unfinished }, results);
  const counts = markup`tests="${tests}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
  return markup`  <testsuite name="${name}" ${counts} time="${seconds}"${started}>
    <properties>
${renderProperties(buildSuiteProperties(instance, results), '      ')}    </properties>
${reports.map((report) => markup`${report.cases ? renderTableCases(report, report.cases, results) : renderCase(report, results)}${renderProof(report, results)}`)}${unfinished.map((run) => renderUnfinished(run, results))}  </testsuite>
`;
}

function countCases({ reports, unfinished }: Pick<RunResults, 'reports' | 'unfinished'>, results: RunResults) {
  const outcomes = reports.flatMap((report) => [
    ...(report.cases?.map(getCaseOutcome) ?? [getOutcome(report)]).map((outcome) =>
      outcome !== 'passed' && isQuarantined(report) ? 'quarantined' : outcome,
    ),
    ...listProofProblems(report, results)
      .slice(0, 1)
      .map(({ outcome }) => outcome),
  ]);
  const failures = outcomes.filter((outcome) => outcome === 'failed').length;
  const passed = outcomes.filter((outcome) => outcome === 'passed').length;
  const quarantined = outcomes.filter((outcome) => outcome === 'quarantined').length;
  const skipped = quarantined + unfinished.filter(isSkipped).length;
  const tests = outcomes.length + unfinished.length;
  return { tests, failures, errors: tests - failures - passed - skipped, skipped };
}

function isSkipped({ stoppedBy }: UnfinishedRun): boolean {
  return stoppedBy === '--fail-fast';
}

function renderCase(report: Report, results: RunResults): Markup {
  const { sources, attachments = [] } = results;
  const { scenario, timings, assertions_enforced_count: assertions } = report;
  const source = sources.get(scenario.id);
  const classname = formatClassname(report.instance, source, scenario.tags);
  const head = markup`name="${scenario.id}" classname="${classname}" time="${formatSeconds(timings.total_ms)}"`;
  return markup`    <testcase ${head} assertions="${assertions}"${renderLocation(report, source)}>
      <properties>
${renderProperties(buildProperties(report, results), '        ')}      </properties>
${renderFailure(report, source)}${renderOutput(report, attachments)}    </testcase>
`;
}

/** A test case for each case. The one that the report displays has its failure in full. */
function renderTableCases(report: Report, cases: readonly ReportCase[], results: RunResults): Markup {
  const { sources, attachments = [] } = results;
  const { scenario } = report;
  const source = sources.get(scenario.id);
  const classname = formatClassname(report.instance, source, scenario.tags);
  return markup`${cases.map((entry) => {
    const name = `${scenario.id} [${entry.name}]`;
    const head = markup`name="${name}" classname="${classname}" time="${formatSeconds(entry.total_ms ?? 0)}"`;
    const location = source && !source.inCatalogue ? markup` file="${source.file}" line="${entry.line}"` : null;
    const isDisplayed = entry.name === report.displayed_case;
    const properties = isDisplayed ? buildProperties(report, results) : {};
    const own = { ...properties, 'vp.case': entry.name, 'vp.correlation_id': entry.correlation_id };
    const output = isDisplayed ? renderOutput(report, attachments) : null;
    return markup`    <testcase ${head} assertions="${entry.check_count}"${location}>
      <properties>
${renderProperties(own, '        ')}      </properties>
${renderCaseFailure(entry, report, isDisplayed ? renderReport(report, plainStyles, source) : '')}${output}    </testcase>
`;
  })}`;
}

/** A test case of its own for the proof that `vp prove` demands of a run that passed. */
function renderProof(report: Report, results: RunResults): Markup | null {
  const problems = listProofProblems(report, results);
  const [first] = problems;
  if (!first) return null;
  const { scenario, instance } = report;
  const classname = formatClassname(instance, results.sources.get(scenario.id), scenario.tags);
  const location = first.location ? markup` file="${first.location.file}" line="${first.location.line}"` : null;
  const text = problems.map(({ message, detail }) => (detail === '' ? message : `${message}\n${detail}`)).join('\n\n');
  const content =
    first.outcome === 'failed'
      ? markup`<failure type="${first.kind}" message="${first.message}">${text}</failure>`
      : markup`<error type="${first.kind}" message="${first.message}">${text}</error>`;
  return markup`    <testcase name="${scenario.id} [proof]" classname="${classname}" time="0.000"${location}>
      ${content}
    </testcase>
`;
}

function renderCaseFailure(entry: ReportCase, report: Report, detail: string): Markup | null {
  if (entry.outcome === 'passed') return null;
  const message = summarizeCase(entry);
  const text = [message, ...(entry.cure === null ? [] : [`fix: ${entry.cure}`]), detail].filter(Boolean).join('\n\n');
  if (isQuarantined(report)) return renderQuarantined(report, message, text);
  if (entry.outcome === 'failed')
    return markup`      <failure type="case" message="${message}">${text}</failure>
`;
  return markup`      <error type="${entry.outcome}" message="${message}">${text}</error>
`;
}

/** Only files: CI systems make a link of it. */
function renderLocation(report: Report, source: ScenarioSource | undefined): Markup | null {
  if (!source || source.inCatalogue) return null;
  const [failed] = report.failed_checks;
  if (!failed) return markup` file="${source.file}"`;
  const { file, line } = locateLine(source.file, source.text, failed.line);
  return markup` file="${file}" line="${line}"`;
}

/** Only the nearest folders of an absolute path, or of one above the current folder, are meaningful. */
const maxFolders = 4;

/**
 * `shop.orders.smoke`: the instance, the folders of the file and the first tag, which Jenkins and GitLab show as a tree. The
 * instance of local runs is left out.
 */
function formatClassname(instance: string, source: ScenarioSource | undefined, tags: readonly string[]): string {
  const path = !source || source.inCatalogue ? [] : source.file.split(/[/\\]/).slice(0, -1);
  const folders = path.filter((name) => !/^(\.{0,2}|[A-Za-z]:)$/.test(name)).slice(-maxFolders);
  const names = [...(instance === 'local' ? [] : [instance]), ...folders, ...tags.slice(0, 1)];
  return names.map((name) => name.replaceAll(/[.\s]+/g, '_')).join('.') || 'scenarios';
}

function buildSuiteProperties(instance: string, { version, source = {} }: RunResults): Record<string, string> {
  const { branch = '', commit = '', author = '', job = '', url = '' } = source;
  return {
    ...{ 'vp.version': version, 'vp.instance': instance, 'vp.branch': branch, 'vp.commit': commit },
    ...{ 'vp.author': author, 'vp.job': job, 'vp.job_url': url },
  };
}

function buildProperties(report: Report, { attempts }: Pick<RunResults, 'attempts'>): Record<string, string> {
  return {
    'vp.quarantine': report.quarantine ? describeQuarantine(report.quarantine) : '',
    'vp.attempts': String(attempts?.get(report.run_id) ?? ''),
    'vp.run_id': report.run_id,
    'vp.correlation_id': report.correlation_id,
    'vp.title': report.scenario.title,
    'vp.layer': report.scenario.layer,
    'vp.tags': report.scenario.tags.join(','),
    'vp.owner': report.scenario.owner ?? '',
    'vp.links': report.scenario.links?.join(' ') ?? '',
    'vp.revision': String(report.scenario.revision ?? ''),
    'vp.origin': report.origin,
    'vp.observed_status': String(report.observed_status ?? ''),
    'vp.assertions_enforced_count': String(report.assertions_enforced_count),
    'vp.executor_version': report.executor_version,
    'vp.steps': String(report.steps?.length ?? ''),
    'vp.cleanup': summarizeCleanup(report),
  };
}

/** Empty for a scenario without requests of CLEANUP. */
function summarizeCleanup({ cleanup }: Report): string {
  if (cleanup === undefined) return '';
  const outcomes = new Set(cleanup.map(({ outcome }) => outcome));
  return outcomes.size === 1 && outcomes.has('passed') ? 'passed' : [...outcomes].sort().join(',');
}

function renderProperties(values: Readonly<Record<string, string>>, indent: string): Markup[] {
  const present = Object.entries(values).filter(([, value]) => value !== '');
  return present.map(
    ([name, value]) => markup`${indent}<property name="${name}" value="${value}"/>
`,
  );
}

/** The message is in the text too: GitLab shows only the text, GitHub the message, Jenkins both. */
function renderFailure(report: Report, source: ScenarioSource | undefined): Markup | null {
  const outcome = getOutcome(report);
  if (outcome === 'passed') return null;
  const message = summarizeFailure(report);
  const text = `${message}\n\n${renderReport(report, plainStyles, source)}`;
  if (isQuarantined(report)) return renderQuarantined(report, message, text);
  const kind = report.failure?.kind ?? 'cancelled';
  if (outcome === 'failed')
    return markup`      <failure type="${kind}" message="${message}">${text}</failure>
`;
  return markup`      <error type="${kind}" message="${message}">${text}</error>
`;
}

/** `skipped` is the only result of the format that is not a failure and does not say that it passed. */
function renderQuarantined({ quarantine }: Report, message: string, text: string): Markup {
  const prefix = quarantine ? `${describeQuarantine(quarantine)}: ` : '';
  return markup`      <skipped message="${prefix}${message}">${text}</skipped>
`;
}

/**
 * The proof of a run that passed (the text of a failure includes it), and for others the attachments, in the notation of GitLab and
 * of Jenkins' attachments plugin. Text of a target must not pass for one: Jenkins would copy any file that it names.
 */
function renderOutput(report: Report, attachments: readonly string[]): Markup | null {
  const isPassed = getOutcome(report) === 'passed';
  const proof = isPassed && report.proof ? formatProof(report.proof, plainStyles) : [];
  const lines = [
    ...proof.map((line) => line.replaceAll('[[ATTACHMENT', '[ [ATTACHMENT')),
    ...(isPassed ? [] : attachments.map((path) => `[[ATTACHMENT|${path}]]`)),
  ];
  if (lines.length === 0) return null;
  return markup`      <system-out>${lines.join('\n')}</system-out>
`;
}

const unfinishedTexts: Readonly<Record<UnfinishedRun['state'], string>> = {
  not_requested: 'not run',
  cancelled: 'not run: cancelled',
  queued: 'not finished: queued',
  in_progress: 'not finished: running',
  no_report: 'without a report',
};

function renderUnfinished(run: UnfinishedRun, { sources }: RunResults): Markup {
  const { scenarioId, instance, runId, state, hint } = run;
  const head = markup`name="${scenarioId}" classname="${formatClassname(instance, sources.get(scenarioId), [])}" time="0.000"`;
  if (isSkipped(run))
    return markup`    <testcase ${head}>
      <skipped message="not run, ${hint}"/>
    </testcase>
`;
  const stateText = unfinishedTexts[state];
  const message = `${stateText}${runId === undefined ? '' : `, run ${runId}`}`;
  return markup`    <testcase ${head}>
      <error type="unfinished" message="${message}">${hint}</error>
    </testcase>
`;
}

function formatSeconds(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(3);
}
