/** Reports and results for tests of the formats. */
import { judge } from '../../src/judge/judge.ts';
import { buildReport } from '../../src/report/build/build-report.ts';
import type { Report } from '../../src/report/report.ts';
import type { RunResults } from '../../src/report/results.ts';
import type { RunRequest } from '../../src/run/run-request.ts';
import { createEvidence, createScenario, scenarioText } from '../judge/evidence-fixtures.ts';

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

export function sampleReport(
  checks: readonly string[],
  observed: Parameters<typeof createEvidence>[0],
  changes: Partial<RunRequest> = {},
): Report {
  const scenario = createScenario(...checks);
  const evidence = createEvidence(observed);
  return buildReport({ ...request, ...changes }, scenario, judge(scenario, evidence), evidence, '0.4.0');
}

const failingChecks = ['status=200', 'body has data', 'body has count matching ^[1-9][0-9]*$'];

export const passed = (changes: Partial<RunRequest> = {}): Report =>
  sampleReport(['status=200', 'body has data'], { status: 200, body: { data: [], count: 0 } }, changes);
/** With a failing body check in line 20 of `failingText`. */
export const failed = (changes: Partial<RunRequest> = {}): Report =>
  sampleReport(failingChecks, { status: 200, body: { data: [], count: 0, currentPage: 1, perPage: 20 } }, changes);
/** The scenario of `failed`. */
export const failingText = scenarioText(failingChecks);
/** With a run that could not be judged. */
export const broken = (changes: Partial<RunRequest> = {}): Report =>
  sampleReport(
    failingChecks,
    { fault: { kind: 'timeout', message: 'no answer within 30 s', cure: 'look at the target' } },
    changes,
  );
export const cancelled = (changes: Partial<RunRequest> = {}): Report =>
  sampleReport(
    failingChecks,
    { fault: { kind: 'cancelled', message: 'cancelled by ana', cure: 'run it again' } },
    changes,
  );

export function createResults(reports: readonly Report[], more: Partial<RunResults> = {}): RunResults {
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
