/** Suites as the API says them: their state and verdict follow from their runs. */
import type { Suite } from '../../contract/suites-api.ts';
import { suiteOutcomes } from '../../contract/suites-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../contract/timestamp.ts';
import { formatSuiteId } from '../../run/run-id.ts';
import { getRunOutcome } from '../../run/state.ts';
import {
  countSuiteRuns,
  findNewestRerun,
  type SuiteCountRow,
  type SuiteRow,
} from '../../store/control/suites/suites.ts';
import type { Sql } from '../../store/sql.ts';
import { toSuiteSource } from '../wire.ts';

type SuiteCounts = Required<Suite['counts']>;

function toCountName({ state, failure_kind: kind, in_quarantine: isQuarantined }: SuiteCountRow): keyof SuiteCounts {
  if (state === 'queued') return 'queued';
  if (state === 'failed' && isQuarantined === 1) return 'quarantined';
  return getRunOutcome(state, kind) ?? 'running';
}

function addCounts(rows: readonly SuiteCountRow[], expectedRuns: number): SuiteCounts {
  const counts = {
    ...{ failed: 0, broken: 0, cancelled: 0, passed: 0, quarantined: 0, running: 0, queued: 0, not_requested: 0 },
  };
  for (const row of rows) counts[toCountName(row)] += row.runs;
  const requested = rows.reduce((sum, { runs }) => sum + runs, 0);
  return { ...counts, not_requested: Math.max(0, expectedRuns - requested) };
}

function getState({ running, queued, not_requested: notRequested }: SuiteCounts): Suite['state'] {
  if (running + queued > 0) return 'in_progress';
  return notRequested > 0 ? 'incomplete' : 'ended';
}

/** The worst one. Where nothing but failures in quarantine is left, nothing that counts has failed. */
function getOutcome(counts: SuiteCounts): Suite['outcome'] {
  return suiteOutcomes.find((outcome) => counts[outcome] > 0) ?? (counts.quarantined > 0 ? 'passed' : null);
}

function toSuite(row: SuiteRow, rows: readonly SuiteCountRow[]): Suite {
  const counts = addCounts(rows, row.expected_runs);
  const state = getState(counts);
  const finishedAtMs = Math.max(...rows.map(({ finished_at_ms: atMs }) => atMs ?? 0), 0);
  return {
    suite_id: formatSuiteId(row.id),
    instance: row.instance_id,
    name: row.name,
    requested_by: row.requested_by,
    requested_at: formatTimestamp(row.requested_at_ms),
    finished_at: formatTimestampOrNull(state === 'ended' ? finishedAtMs : null),
    state,
    outcome: state === 'ended' ? getOutcome(counts) : null,
    expected_runs: row.expected_runs,
    counts,
    flaky: rows.filter(({ state }) => state === 'passed').reduce((sum, { flaky }) => sum + flaky, 0),
    source: toSuiteSource(row),
    target_version: row.target_version,
    schedule: row.schedule_id,
    rerun_of: row.rerun_of === null ? null : formatSuiteId(row.rerun_of),
  };
}

/** In the order of `rows`. */
export function toSuites(sql: Sql, rows: readonly SuiteRow[]): Suite[] {
  const ids = rows.map(({ id }) => id);
  const countRows = countSuiteRuns(sql, ids);
  return rows.map((row) =>
    toSuite(
      row,
      countRows.filter(({ suite_id: id }) => id === row.id),
    ),
  );
}

/** The scenarios of each shard; undefined for a suite without shards. */
export function parsePlan({ plan }: Pick<SuiteRow, 'plan'>): string[][] | undefined {
  // Written from the plan that divideIntoShards returned.
  return plan === null ? undefined : JSON.parse(plan);
}

/** With its shards and its newest re-run. */
export function toSuiteDocument(sql: Sql, row: SuiteRow): Suite {
  const rerun = findNewestRerun(sql, row.id);
  const plan = parsePlan(row);
  const suite = toSuite(row, countSuiteRuns(sql, [row.id]));
  return { ...suite, rerun: rerun ? formatSuiteId(rerun.id) : null, ...(plan ? { shards: plan } : {}) };
}
