/**
 * SARIF 2.1.0 (OASIS), as code scanning reads it: a result for each false check and each run that could not be judged. Both
 * have the level `error`: nothing that was not judged may look harmless. Those in quarantine are a `note` with a suppression that says why. Runs without a result are notifications of the
 * invocation, which then was not successful. So are problems without a file: GitHub refuses a document with a result that has no
 * physical location.
 */

import { outcomeLabels } from '../run/state.ts';
import { escapeUnsafe } from './escape-unsafe.ts';
import { unfinishedLabels } from './outcome.ts';
import { listResultProblems, type ResultProblem } from './result-problems.ts';
import type { RunResults, UnfinishedRun } from './results.ts';

export function renderSarif(results: RunResults): string {
  const problems = listResultProblems(results);
  // Either every result has suppressions or none (SARIF 3.27.23).
  const hasQuarantine = problems.some(({ quarantine }) => quarantine !== undefined);
  const document = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'vp', semanticVersion: results.version, rules: buildRules(problems) } },
        columnKind: 'utf16CodeUnits',
        invocations: [buildInvocation(results, problems)],
        results: problems.flatMap((problem) => buildResult(problem, hasQuarantine)),
      },
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function buildRules(problems: readonly ResultProblem[]): object[] {
  const byKind = new Map(problems.map((problem) => [problem.kind, problem]));
  return [...byKind].map(([id, { outcome }]) => ({
    id,
    shortDescription: { text: `${id.replaceAll('_', ' ')}: the run ${describeOutcome(outcome)}` },
    defaultConfiguration: { level: 'error' },
  }));
}

function describeOutcome(outcome: ResultProblem['outcome']): string {
  return outcome === 'cancelled' ? 'was cancelled' : outcomeLabels[outcome];
}

function buildInvocation(
  { startedAtMs, finishedAtMs, unfinished, problem }: RunResults,
  problems: readonly ResultProblem[],
): object {
  const notifications = [
    ...(problem === undefined ? [] : [problem]),
    ...problems.filter(({ quarantine }) => !quarantine).flatMap(describeWithoutFile),
    ...unfinished.map(formatUnfinished),
  ];
  const notes = problems.filter(({ quarantine }) => quarantine).flatMap(describeWithoutFile);
  return {
    executionSuccessful: notifications.length === 0,
    startTimeUtc: new Date(startedAtMs).toISOString(),
    endTimeUtc: new Date(finishedAtMs).toISOString(),
    toolExecutionNotifications: [
      ...notifications.map((text) => ({ level: 'error', message: { text: escapeUnsafe(text) } })),
      ...notes.map((text) => ({ level: 'note', message: { text: escapeUnsafe(text) } })),
    ],
  };
}

function describeWithoutFile(problem: ResultProblem): string[] {
  return problem.location ? [] : [`${problem.instance}: ${formatMessage(problem)}, run ${problem.runId}`];
}

function formatUnfinished({ scenarioId, instance, state, hint, runId }: UnfinishedRun): string {
  const run = runId === undefined ? '' : `, run ${runId}`;
  return `${scenarioId} on ${instance} has no result (${unfinishedLabels[state]}${run}): ${hint}`;
}

function formatMessage({ scenarioId, message, detail, quarantine = '' }: ResultProblem): string {
  return [`${scenarioId}: ${message}`, detail, quarantine].filter((part) => part !== '').join('\n');
}

function buildResult(problem: ResultProblem, hasSuppressions: boolean): object[] {
  const { scenarioId, instance, runId, outcome, kind, identity, location, quarantine } = problem;
  if (!location) return [];
  return [
    {
      ruleId: kind,
      level: quarantine ? 'note' : 'error',
      message: { text: escapeUnsafe(formatMessage(problem)) },
      locations: [
        {
          physicalLocation: buildPhysicalLocation(location),
          logicalLocations: [{ name: scenarioId, fullyQualifiedName: `${instance}/${scenarioId}` }],
        },
      ],
      partialFingerprints: { 'vpProblem/v1': JSON.stringify([instance, scenarioId, kind, identity]) },
      ...(hasSuppressions ? { suppressions: buildSuppressions(quarantine) } : {}),
      properties: { run_id: runId, outcome, instance },
    },
  ];
}

function buildSuppressions(quarantine: string | undefined): object[] {
  return quarantine ? [{ kind: 'external', status: 'accepted', justification: escapeUnsafe(quarantine) }] : [];
}

/** Relative paths are relative to the checkout; spaces and the like are escaped as a URI demands (RFC 3986). */
function buildPhysicalLocation({ file, line }: { readonly file: string; readonly line: number }): object {
  const uri = file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return { artifactLocation: { uri }, region: { startLine: line } };
}
