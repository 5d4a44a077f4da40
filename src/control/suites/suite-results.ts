/** What report files say of a suite: the same as those of the command that waited for it. */

import { vpError } from '../../errors/vp-error.ts';
import type { Report } from '../../report/report.ts';
import type { RunResults, ScenarioSource, UnfinishedRun } from '../../report/results.ts';
import { formatRunId, formatSuiteId } from '../../run/run-id.ts';
import { findReport } from '../../store/control/runs/completion.ts';
import { findRun, findRunText, type RunRow } from '../../store/control/runs/runs.ts';
import { listCurrentSuiteRuns, type SuiteRow } from '../../store/control/suites/suites.ts';
import type { Sql } from '../../store/sql.ts';
import type { ControlContext } from '../context.ts';
import { requireInstance } from '../instances/instances.ts';
import { fromStoredReport } from '../runs/report-storage.ts';
import { toSuiteSource } from '../wire.ts';
import { parsePlan } from './suite-documents.ts';
import { requireSuite } from './suite-requests.ts';

/** So many are read at once: other work goes on in between. */
const runsPerRead = 25;

type ReadRun = { readonly row: RunRow; readonly report: Report | undefined; readonly text: string | undefined };

function readRuns(sql: Sql, ids: readonly number[]): ReadRun[] {
  for (const id of ids) {
    sql.ahead((sql) => findRun(sql, id));
    sql.ahead((sql) => findReport(sql, id));
    sql.ahead((sql) => findRunText(sql, id));
  }
  return ids.flatMap((id) => {
    const row = findRun(sql, id);
    const report = findReport(sql, id);
    return row ? [{ row, report: report ? fromStoredReport(report, row) : undefined, text: findRunText(sql, id) }] : [];
  });
}

export async function readSuiteResults(
  { store: { database }, clock, settings }: ControlContext,
  instance: string,
  suiteId: string,
): Promise<RunResults> {
  const { suite, ids } = await database.read((sql) => {
    requireInstance(sql, instance);
    const suite = requireSuite(sql, instance, suiteId);
    return { suite, ids: listCurrentSuiteRuns(sql, suite.id) };
  });
  const runs: ReadRun[] = [];
  for (let from = 0; from < ids.length; from += runsPerRead) {
    const part = ids.slice(from, from + runsPerRead).map(({ id }) => id);
    runs.push(...(await database.read((sql) => readRuns(sql, part))));
  }
  const absent = runs.filter(({ row, report }) => !report && (row.state === 'passed' || row.state === 'failed'));
  if (absent.length > 0) {
    const count = absent.length === 1 ? '1 run' : `${absent.length} runs`;
    throw vpError('SUITE_REPORTS_ABSENT', { suite: suiteId, count });
  }
  const ends = runs.map(({ row }) => row.finished_at_ms ?? clock.nowMs());
  return {
    reports: runs.flatMap(({ report }) => report ?? []),
    unfinished: [...runs.flatMap(toUnfinished), ...listNotRequested(suite, runs)],
    startedAtMs: suite.requested_at_ms,
    finishedAtMs: Math.max(suite.requested_at_ms, ...ends),
    version: settings.recommendedVersion,
    sources: new Map(runs.flatMap(toSource)),
    source: toSuiteSource(suite),
  };
}

function toSource({ row, text }: ReadRun): [string, ScenarioSource][] {
  const { instance_id: instance, scenario_id: id, revision } = row;
  const file = `${instance}/${id}${revision === null ? '' : `@${revision}`}`;
  return text === undefined ? [] : [[id, { file, text, inCatalogue: true }]];
}

function toUnfinished({ row, report }: ReadRun): UnfinishedRun[] {
  if (report) return [];
  const { scenario_id: scenarioId, instance_id: instance } = row;
  const runId = formatRunId(row.id);
  const isOpen = row.state === 'queued' || row.state === 'in_progress';
  const state = row.state === 'queued' || row.state === 'in_progress' ? row.state : 'cancelled';
  return [{ scenarioId, instance, runId, state, hint: isOpen ? 'it has not ended yet' : 'it was cancelled' }];
}

/** A suite with shards knows which scenarios are missing; another one only how many. */
function listNotRequested(suite: SuiteRow, runs: readonly ReadRun[]): UnfinishedRun[] {
  const count = Math.max(0, suite.expected_runs - runs.length);
  const requested = new Set(runs.map(({ row }) => row.scenario_id));
  const names = (parsePlan(suite) ?? []).flat().filter((id) => !requested.has(id));
  const hint = `it was not requested in suite ${formatSuiteId(suite.id)}`;
  return Array.from({ length: count }, (_, index) => ({
    ...{ scenarioId: names[index] ?? `run ${runs.length + index + 1}`, instance: suite.instance_id },
    ...{ runId: undefined, state: 'not_requested' as const, hint },
  }));
}
