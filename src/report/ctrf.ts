/**
 * CTRF, the common test report format (specification 1.0.0). Runs that could not be judged, were cancelled or did not end are
 * `failed` with the word of vp in `rawStatus`, because readers count nothing else as a failure; `skipped` are only runs that
 * --fail-fast left out, because the failure is in the same file, and those that failed in quarantine, with their failure.
 */
import { describeQuarantine } from '../run/quarantine.ts';
import { outcomeLabels } from '../run/state.ts';
import { getCaseOutcome, summarizeCase } from './cases.ts';
import { escapeUnsafe } from './escape-unsafe.ts';
import { getOutcome, isQuarantined, type ReportOutcome } from './outcome.ts';
import type { Report, ReportCase } from './report.ts';
import { listProofProblems, listResultProblems } from './result-problems.ts';
import type { ResultSource, RunResults, UnfinishedRun } from './results.ts';
import { summarizeFailure } from './summarize-failure.ts';
import { renderReport } from './text/render-text.ts';
import { plainStyles } from './text/text-styles.ts';

type CtrfTest = { readonly name: string; readonly status: 'passed' | 'failed' | 'skipped' } & Record<string, unknown>;

export function renderCtrf(results: RunResults): string {
  const tests = [
    ...results.reports.flatMap((report) => [...buildTests(report, results), ...buildProofTest(report, results)]),
    ...results.unfinished.map(buildUnfinishedTest),
  ];
  const count = (status: CtrfTest['status']): number => tests.filter((test) => test.status === status).length;
  const document = {
    reportFormat: 'CTRF',
    specVersion: '1.0.0',
    timestamp: new Date(results.finishedAtMs).toISOString(),
    generatedBy: `vp ${results.version}`,
    results: {
      tool: { name: 'vp', version: results.version },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: 0,
        other: 0,
        start: Math.round(results.startedAtMs),
        stop: Math.round(results.finishedAtMs),
      },
      tests,
      ...buildEnvironment(results.source),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The members that the specification has for a change and its job. */
function buildEnvironment({ branch: branchName, commit, job: buildName, url: buildUrl }: ResultSource = {}): object {
  const environment = { branchName, commit, buildName, buildUrl };
  return Object.values(environment).some((value) => value !== undefined) ? { environment } : {};
}

function buildTests(report: Report, results: RunResults): CtrfTest[] {
  const { scenario, cases } = report;
  const source = results.sources.get(scenario.id);
  if (cases) return cases.map((entry) => buildCaseTest(report, entry));
  const outcome = getOutcome(report);
  const [problem] = listResultProblems({ reports: [report], sources: results.sources });
  const failure =
    outcome === 'passed'
      ? {}
      : {
          message: escapeUnsafe(withQuarantine(report, summarizeFailure(report))),
          trace: renderReport(report, plainStyles, source),
          ...(problem?.location ? { line: problem.location.line } : {}),
        };
  const file = problem?.location?.file ?? (source?.inCatalogue ? undefined : source?.file);
  return [
    {
      ...buildBase(report, scenario.id, outcome, report.timings.total_ms),
      start: Date.parse(report.started_at),
      stop: Date.parse(report.finished_at),
      ...failure,
      ...(file === undefined ? {} : { filePath: file }),
    },
  ];
}

function buildCaseTest(report: Report, entry: ReportCase): CtrfTest {
  const outcome = getCaseOutcome(entry);
  const name = `${report.scenario.id} [${entry.name}]`;
  const message = outcome === 'passed' ? {} : { message: escapeUnsafe(withQuarantine(report, summarizeCase(entry))) };
  return { ...buildBase(report, name, outcome, entry.total_ms ?? 0), ...message };
}

function withQuarantine({ quarantine }: Report, message: string): string {
  return quarantine ? `${describeQuarantine(quarantine)}: ${message}` : message;
}

/** A test of its own for the proof that `vp prove` demands of a run that passed. */
function buildProofTest(report: Report, results: RunResults): CtrfTest[] {
  const problems = listProofProblems(report, results);
  const [first] = problems;
  if (!first) return [];
  const { location } = first;
  return [
    {
      ...buildBase(report, `${report.scenario.id} [proof]`, first.outcome, 0),
      rawStatus: first.kind,
      message: escapeUnsafe(problems.map(({ message }) => message).join('\n')),
      ...(location ? { filePath: location.file, line: location.line } : {}),
    },
  ];
}

function buildBase(report: Report, name: string, outcome: ReportOutcome, durationMs: number): CtrfTest {
  const {
    scenario,
    instance,
    run_id: runId,
    correlation_id: correlationId,
    observed_status: status,
    quarantine,
  } = report;
  const isInQuarantine = outcome !== 'passed' && isQuarantined(report);
  return {
    name,
    status: outcome === 'passed' ? 'passed' : isInQuarantine ? 'skipped' : 'failed',
    rawStatus: `${outcomeLabels[outcome]}${isInQuarantine ? ', in quarantine' : ''}`,
    duration: Math.round(durationMs),
    suite: [instance],
    type: 'e2e',
    ...(scenario.tags.length > 0 ? { tags: [...scenario.tags] } : {}),
    extra: {
      ...{ run_id: runId, correlation_id: correlationId, title: scenario.title, observed_status: status },
      ...(scenario.owner === undefined ? {} : { owner: scenario.owner }),
      ...(scenario.links === undefined ? {} : { links: scenario.links }),
      ...(quarantine ? { quarantine } : {}),
    },
  };
}

function buildUnfinishedTest({ scenarioId, instance, runId, state, hint, stoppedBy }: UnfinishedRun): CtrfTest {
  return {
    name: scenarioId,
    status: stoppedBy === '--fail-fast' ? 'skipped' : 'failed',
    rawStatus: state.replaceAll('_', ' '),
    duration: 0,
    suite: [instance],
    message: escapeUnsafe(hint),
    extra: { run_id: runId ?? null },
  };
}
