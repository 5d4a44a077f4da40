/** Reports and results in few words, for tests of the formats. */
import { judge } from '../../src/judge/judge.ts';
import { reportOf } from '../../src/report/make.ts';
import type { Report } from '../../src/report/report.ts';
import type { Results } from '../../src/report/results.ts';
import type { RunRequest } from '../../src/run/run-request.ts';
import { evidenceOf, scenarioOf, scenarioText } from '../judge/samples.ts';

/** A request for the sample scenario. */
export const request: RunRequest = {
  runId: '20261120T143012345',
  correlationId: 'tr-20261120T143012345-x7Yz',
  instanceId: 'sign-prod',
  scenarioId: 'RT-GET-document',
  revision: 3,
  scenarioText: scenarioText(['status=200']),
  origin: 'queue',
  queuedMs: 2,
};

/** A report of the sample scenario with these checks and this evidence. */
export function sampleReport(
  checks: readonly string[],
  observed: Parameters<typeof evidenceOf>[0],
  changes: Partial<RunRequest> = {},
): Report {
  const scenario = scenarioOf(...checks);
  const evidence = evidenceOf(observed);
  return reportOf({ ...request, ...changes }, scenario, judge(scenario, evidence), evidence, '0.4.0');
}

const failingChecks = ['status=200', 'body has data', 'body has count matching ^[1-9][0-9]*$'];

/** One that passed. */
export const passed = (changes: Partial<RunRequest> = {}): Report =>
  sampleReport(['status=200', 'body has data'], { status: 200, body: { data: [], count: 0 } }, changes);
/** One with a false body check, in line 20 of {@link failingText}. */
export const failed = (changes: Partial<RunRequest> = {}): Report =>
  sampleReport(failingChecks, { status: 200, body: { data: [], count: 0, currentPage: 1, perPage: 20 } }, changes);
/** The text that {@link failed} was read from. */
export const failingText = scenarioText(failingChecks);
/** One that could not be judged. */
export const broken = (changes: Partial<RunRequest> = {}): Report =>
  sampleReport(
    failingChecks,
    { fault: { kind: 'timeout', message: 'no answer within 30 s', cure: 'look at the target' } },
    changes,
  );
/** One that was cancelled. */
export const cancelled = (changes: Partial<RunRequest> = {}): Report =>
  sampleReport(
    failingChecks,
    { fault: { kind: 'cancelled', message: 'cancelled by ana', cure: 'run it again' } },
    changes,
  );

/** Results of these reports. */
export function resultsOf(reports: readonly Report[], more: Partial<Results> = {}): Results {
  return {
    reports,
    unfinished: [],
    startedAtMs: Date.UTC(2026, 10, 20, 14, 30, 12),
    finishedAtMs: Date.UTC(2026, 10, 20, 14, 30, 13, 250),
    version: '0.4.0',
    sources: new Map(),
    ...more,
  };
}
