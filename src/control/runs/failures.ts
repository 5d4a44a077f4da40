/** Failed runs by what failed. */
import { failureDays } from '../../contract/failure-limits.ts';
import type { ChangeFailureRequest, FailureDocument, FailureGroup } from '../../contract/failures-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatRunId, parseRunId } from '../../run/run-id.ts';
import { resolveScenarioId } from '../../store/control/instances/catalogue.ts';
import {
  changeFailureGroup,
  type FailureGroupChange,
  type FailureGroupRow,
  findFailureGroup,
  listFailureGroups,
} from '../../store/control/runs/failure-groups.ts';
import { countFailuresByDay, listFailureRunIds, listFailureVersions } from '../../store/control/runs/failure-runs.ts';
import { findRun } from '../../store/control/runs/runs.ts';
import type { Sql } from '../../store/sql.ts';
import { readQuarantines } from '../catalogue/read-quarantines.ts';
import type { Actor, FailureListFilter, FailuresService, PageQuery, ResultPage } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';
import { parsePageCursor, toPage, toRun } from '../wire.ts';

const dayMs = 86_400_000;
const maxNewestRuns = 20;

function toSighting(runMs: number, version: string | null): FailureGroup['first_seen'] {
  return { run_id: formatRunId(runMs), at: formatTimestamp(runMs), target_version: version };
}

function readDays(sql: Sql, instance: string, group: string, nowMs: number): number[] {
  const firstDay = Math.floor(nowMs / dayMs) - failureDays + 1;
  const counts = countFailuresByDay(sql, instance, group, firstDay * dayMs);
  return Array.from({ length: failureDays }, (_, index) => counts.get(firstDay + index) ?? 0);
}

function toFailureGroup(
  sql: Sql,
  instance: string,
  row: FailureGroupRow,
  nowMs: number,
  quarantines = readQuarantines(sql, instance, nowMs),
): FailureGroup {
  const quarantine =
    quarantines.size === 0 ? undefined : quarantines.get(resolveScenarioId(sql, instance, row.scenario_id));
  const isOpen = row.resolved_at_ms === null;
  return {
    failure_id: row.id,
    scenario_id: row.scenario_id,
    check: row.check_text,
    step: row.step,
    line: row.line,
    outcome: row.outcome,
    failure_kind: row.kind,
    summary: row.summary ?? row.outcome,
    state: isOpen ? 'open' : 'resolved',
    failing: row.is_current === 1,
    runs: row.occurrences,
    first_seen: toSighting(row.first_run_id, row.first_version),
    last_seen: toSighting(row.last_run_id, row.last_version),
    resolved_at: formatTimestampOrNull(row.resolved_at_ms),
    resolved_by: row.resolved_by,
    reopened: row.reopened_run_id === null ? null : toSighting(row.reopened_run_id, row.reopened_version),
    assignee: row.assignee,
    note: row.note,
    ...(quarantine ? { quarantine } : {}),
    days: readDays(sql, instance, row.id, nowMs),
  };
}

function listPage(sql: Sql, filter: FailureListFilter, page: PageQuery, nowMs: number): ResultPage<FailureGroup> {
  requireInstance(sql, filter.instance);
  const beforeRunId = parsePageCursor(page, parseRunId);
  const rows = listFailureGroups(sql, { ...filter, beforeRunId, limit: page.limit + 1 });
  const quarantines = readQuarantines(sql, filter.instance, nowMs);
  const toItem = (row: FailureGroupRow) => toFailureGroup(sql, filter.instance, row, nowMs, quarantines);
  return toPage(rows, page.limit, toItem, (row) => formatRunId(row.last_run_id));
}

function requireFailure(sql: Sql, instance: string, failure: string): FailureGroupRow {
  requireInstance(sql, instance);
  const row = findFailureGroup(sql, instance, failure);
  if (row) return row;
  throw vpError('FAILURE_UNKNOWN', { failure, instance });
}

function getFailure(sql: Sql, instance: string, failure: string, nowMs: number): FailureDocument {
  const group = toFailureGroup(sql, instance, requireFailure(sql, instance, failure), nowMs);
  const runs = listFailureRunIds(sql, instance, failure, maxNewestRuns).flatMap((id) => findRun(sql, id) ?? []);
  return {
    ...group,
    versions: listFailureVersions(sql, instance, failure).map((row) => ({
      target_version: row.version,
      runs: row.runs,
      first_seen_at: formatTimestamp(row.first_run_id),
      last_seen_at: formatTimestamp(row.last_run_id),
    })),
    newest_runs: runs.map(toRun),
  };
}

function toChange({ state, assignee, note }: ChangeFailureRequest, by: string, nowMs: number): FailureGroupChange {
  const resolved = state === undefined ? undefined : state === 'resolved' ? { atMs: nowMs, by } : null;
  return { resolved, assignee: assignee?.trim() === '' ? null : assignee, note };
}

export function createFailuresService({ context: { store, clock } }: ControlRuntime): FailuresService {
  const { database } = store;
  return {
    list(filter, page) {
      const nowMs = clock.nowMs();
      return database.read((sql) => listPage(sql, filter, page, nowMs));
    },
    get(instance, failure) {
      const nowMs = clock.nowMs();
      return database.read((sql) => getFailure(sql, instance, failure, nowMs));
    },
    change(instance, failure, input, actor: Actor) {
      const nowMs = clock.nowMs();
      const change = toChange(input, actor.name, nowMs);
      return database.write((sql) => {
        requireFailure(sql, instance, failure);
        changeFailureGroup(sql, instance, failure, change);
        return toFailureGroup(sql, instance, requireFailure(sql, instance, failure), nowMs);
      });
    },
  };
}
