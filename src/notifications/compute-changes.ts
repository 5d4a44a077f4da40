/** Runs that ended → changes of state. What a run has changed depends on those that ended before it, and stays the same. */

import type { NotificationChange } from '../contract/notifications-api.ts';
import { formatTimestamp } from '../contract/timestamp.ts';
import { type EndedResult, findStateChange, type StateChange } from '../insight/state-changes.ts';
import { formatRunId } from '../run/run-id.ts';
import { getRunOutcome } from '../run/state.ts';
import { listScenarioNames } from '../store/control/instances/catalogue.ts';
import {
  type EndedResultRow,
  type EndedRunRow,
  findWaitingRuns,
  listResultsUntil,
  wasLostBefore,
} from '../store/control/runs/ended-runs.ts';
import { parseTexts } from '../store/json-column.ts';
import type { Sql } from '../store/sql.ts';
import type { Absence } from './context.ts';

/** As many as the health of a scenario looks at. */
const historyRuns = 100;
const historyMs = 30 * 86_400_000;

/** What routing looks at. */
export type ChangedScenario = { readonly tags: readonly string[]; readonly owner: string | null };

/** `key` is the same however often the change is computed. `scenario` is undefined where it is about none. */
export type ComputedChange = {
  readonly key: string;
  readonly scenario: ChangedScenario | undefined;
  readonly change: NotificationChange;
};

function describeRun(row: EndedRunRow) {
  return {
    ...{ instance: row.instance_id, run_id: formatRunId(row.id), path: `/runs/${formatRunId(row.id)}` },
    ...(row.target_version === null ? {} : { target_version: row.target_version }),
    at: formatTimestamp(row.finished_at_ms ?? row.requested_at_ms),
  };
}

function computeLoss(sql: Sql, row: EndedRunRow): ComputedChange[] {
  if (wasLostBefore(sql, row)) return [];
  const title = `The executor of ${row.instance_id} was lost during a run`;
  const text = row.failure_message ?? 'It stopped during a run.';
  const change = { event: 'executor_lost' as const, title, text, ...describeRun(row) };
  return [{ key: `executor_lost ${row.id}`, scenario: undefined, change }];
}

/** Without results that came after one which was requested later: they are no longer news. */
function withoutLateResults(rows: readonly EndedResultRow[]): EndedResultRow[] {
  let newest = 0;
  return rows.filter(({ id }) => {
    if (id < newest) return false;
    newest = id;
    return true;
  });
}

function toResults(rows: readonly EndedResultRow[]): EndedResult[] {
  return rows.flatMap(({ state, failure_kind: kind, target_version: version, revision_id: text, quarantine }) => {
    const outcome = getRunOutcome(state, kind);
    // A run whose executor was lost says nothing about the scenario.
    if (kind === 'executor_lost' || outcome === undefined || outcome === 'cancelled') return [];
    return [{ outcome, version, text, quarantined: quarantine !== null }];
  });
}

function describeChange(event: StateChange, row: EndedRunRow): Pick<NotificationChange, 'title' | 'text'> {
  const { scenario_id: scenario, instance_id: instance, target_version: version } = row;
  const failure = row.failure_summary ?? row.failure_message ?? 'It failed.';
  if (event === 'newly_failing') return { title: `${scenario} fails in ${instance}`, text: failure };
  if (event === 'recovered') return { title: `${scenario} passes again in ${instance}`, text: 'It failed before.' };
  const where = version === null ? 'with the same text' : `with version ${version}`;
  const now = row.state === 'passed' ? 'Now it has passed.' : `Now it has failed: ${failure}`;
  return { title: `${scenario} is flaky in ${instance}`, text: `It both passed and failed ${where}. ${now}` };
}

/** Empty for a run that changes nothing. */
export function computeChanges(sql: Sql, row: EndedRunRow): ComputedChange[] {
  if (row.failure_kind === 'executor_lost') return computeLoss(sql, row);
  const ids = listScenarioNames(sql, row.instance_id, row.scenario_id);
  const period = { sinceMs: row.id - historyMs, limit: historyRuns };
  const rows = withoutLateResults(listResultsUntil(sql, row, ids, period));
  if (rows.at(-1)?.id !== row.id) return [];
  const event = findStateChange(toResults(rows));
  if (event === undefined) return [];
  const { owner, scenario_id } = row;
  const about = { scenario_id, ...(owner === null ? {} : { owner }) };
  const change = { event, ...describeChange(event, row), ...about, ...describeRun(row) };
  return [{ key: `${event} ${row.id}`, scenario: { tags: parseTexts(row.tags), owner }, change }];
}

/** Runs wait for an executor that is away: once in each absence, whichever runs these are. */
export function computeAbsence(sql: Sql, { instance, since }: Absence, nowMs: number): ComputedChange[] {
  const waiting = findWaitingRuns(sql, instance);
  if (!waiting) return [];
  const change: NotificationChange = {
    ...{ event: 'executor_lost', instance, path: `/instances/${instance}`, at: formatTimestamp(nowMs) },
    title: `The executor of ${instance} is away`,
    text: waiting.count === 1 ? 'A run waits for it.' : `${waiting.count} runs wait for it.`,
  };
  return [{ key: `executor_away ${instance} ${since}`, scenario: undefined, change }];
}
