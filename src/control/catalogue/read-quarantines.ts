/** Quarantines that are in effect, for lists and for the judgement of runs. */
import type { Quarantine } from '../../contract/quarantines-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import type { RunQuarantine } from '../../run/quarantine.ts';
import { resolveScenarioId } from '../../store/control/instances/catalogue.ts';
import { listQuarantines, type QuarantineRow } from '../../store/control/instances/quarantines.ts';
import type { Sql } from '../../store/sql.ts';

const dayMs = 86_400_000;

export function toQuarantine(row: QuarantineRow, nowMs: number): Quarantine {
  return {
    scenario_id: row.scenario_id,
    until: formatTimestamp(row.until_ms),
    days_left: Math.ceil((row.until_ms - nowMs) / dayMs),
    reason: row.reason,
    owner: row.owner,
    created_by: row.created_by,
    created_at: formatTimestamp(row.created_at_ms),
  };
}

/** Those in effect, by the scenario's present id. */
export function readQuarantines(sql: Sql, instance: string, nowMs: number): ReadonlyMap<string, Quarantine> {
  const rows = listQuarantines(sql, instance, nowMs);
  return new Map(rows.map((row) => [row.scenario_id, toQuarantine(row, nowMs)]));
}

/** What a run of the scenario is judged with at this moment; `scenario` may be a former id. */
export function findRunQuarantine(
  sql: Sql,
  instance: string,
  scenario: string,
  nowMs: number,
): RunQuarantine | undefined {
  const rows = listQuarantines(sql, instance, nowMs);
  // Hardly any run is in quarantine: the others cost one statement.
  if (rows.length === 0) return undefined;
  const present = resolveScenarioId(sql, instance, scenario);
  const row = rows.find(({ scenario_id: id }) => id === present);
  return row && { until: formatTimestamp(row.until_ms), reason: row.reason, owner: row.owner };
}
