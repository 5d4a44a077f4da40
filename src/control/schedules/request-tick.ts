/** What a tick does, in one transaction with the record that it was done: so a tick is requested once, whatever ends in between. */

import type { NotificationChange } from '../../contract/notifications-api.ts';
import type { ScheduleDefinition } from '../../contract/schedules-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { listUnmatched, selectScenarios } from '../../schedule/selection.ts';
import { listScenarios, type RevisionRow } from '../../store/control/instances/catalogue.ts';
import { insertIntoInbox } from '../../store/control/notifications/channels.ts';
import { insertRuns } from '../../store/control/runs/run-requests.ts';
import {
  countOpenRuns,
  findNewestTargetVersion,
  findSchedule,
  type ScheduleKey,
  type ScheduleRow,
  saveNextTick,
  saveObservedVersion,
} from '../../store/control/schedules/schedules.ts';
import { insertTick, listTicks, type NewTick, saveTickRuns } from '../../store/control/schedules/ticks.ts';
import { parseTexts } from '../../store/json-column.ts';
import type { Sql } from '../../store/sql.ts';
import type { ControlContext } from '../context.ts';
import { startSuite } from '../suites/suite-requests.ts';
import { findNextTick, listElapsedTicks, maxCountedTicks } from './schedule-timing.ts';

/** The limit of a request over the API. */
const maxRunsPerTick = 1000;
/** A request this much later than it was due says that it is late. */
const lateAfterMs = 60_000;

export type TickResult = {
  readonly outcome: NewTick['outcome'];
  readonly note: string | null;
  readonly runIds: readonly number[];
};

type TickRequest = {
  readonly tick: string;
  /** The record of one for which nothing is requested, where `tick` may come again; otherwise `tick` as well. */
  readonly unusedTick?: string | undefined;
  readonly dueAtMs: number;
  readonly nowMs: number;
  readonly targetVersion?: string | undefined;
  /** Why it is late. */
  readonly lateNote?: string | undefined;
};

export function readDefinition(row: Pick<ScheduleRow, 'definition'>): ScheduleDefinition {
  // Written from a body that had passed its schema.
  return JSON.parse(row.definition);
}

export function toKey({ instance_id: instance, id }: ScheduleRow): ScheduleKey {
  return { instance, id };
}

export function readCatalogue(sql: Sql, instance: string): RevisionRow[] {
  return listScenarios(sql, instance, '', 100_000);
}

/** With their tags parsed. */
export function toSelectable(catalogue: readonly RevisionRow[]) {
  return catalogue.map((row) => ({
    scenario_id: row.scenario_id,
    revisionId: row.revision_id,
    tags: parseTexts(row.tags),
  }));
}

/** The scenarios of the catalogue that a request now would have. */
export function listMatchingScenarios(sql: Sql, instance: string, definition: ScheduleDefinition) {
  return selectScenarios(toSelectable(readCatalogue(sql, instance)), definition);
}

/** A deployment must not go unverified because the one before it still is; new versions wait in {@link handleNewVersion}. */
function mustSkip(sql: Sql, row: ScheduleRow, { on, skip_if_running: skip }: ScheduleDefinition): boolean {
  return (skip ?? on === undefined) && countOpenRuns(sql, toKey(row)) > 0;
}

function chooseOutcome(
  sql: Sql,
  row: ScheduleRow,
  definition: ScheduleDefinition,
  { matching, unmatched }: { readonly matching: number; readonly unmatched: readonly string[] },
  { lateNote }: TickRequest,
): Pick<NewTick, 'outcome' | 'note'> {
  if (row.paused_at_ms !== null) return { outcome: 'skipped', note: 'the schedule is paused' };
  if (mustSkip(sql, row, definition)) return { outcome: 'skipped', note: 'runs of an earlier tick were not over' };
  if (matching === 0) return { outcome: 'failed', note: 'no scenario of the catalogue matches' };
  if (matching > maxRunsPerTick)
    return { outcome: 'failed', note: `${matching} scenarios match, and ${maxRunsPerTick} is the limit of a request` };
  const notes = [...(lateNote === undefined ? [] : [lateNote]), ...formatUnmatched(unmatched)];
  return {
    outcome: lateNote === undefined ? 'requested' : 'requested_late',
    note: notes.length === 0 ? null : notes.join('; '),
  };
}

/** More would hide what else a tick says. */
const maxNamed = 5;

/** Otherwise a scenario that was renamed or deleted would be missing from results that look complete. */
function formatUnmatched(unmatched: readonly string[]): readonly string[] {
  if (unmatched.length === 0) return [];
  const more = unmatched.length > maxNamed ? ` and ${unmatched.length - maxNamed} more` : '';
  return [`no scenario of the catalogue matches ${unmatched.slice(0, maxNamed).join(', ')}${more}`];
}

const badOutcomes: readonly NewTick['outcome'][] = ['missed', 'failed'];

/** Takes the tick, and announces the first of several that were missed; false when it is taken. */
function recordTick(sql: Sql, key: ScheduleKey, tick: NewTick): boolean {
  const [before] = badOutcomes.includes(tick.outcome) ? listTicks(sql, key, 1) : [];
  if (!insertTick(sql, key, tick)) return false;
  if (!badOutcomes.includes(tick.outcome) || (before && badOutcomes.includes(before.outcome))) return true;
  const change: NotificationChange = {
    ...{ event: 'schedule_missed', instance: key.instance, schedule_id: key.id },
    title: `Schedule ${key.id} of ${key.instance} did not run`,
    text: tick.note ?? `The tick was ${tick.outcome}.`,
    ...{ path: `/instances/${key.instance}/schedules`, at: formatTimestamp(tick.dueAtMs) },
  };
  insertIntoInbox(sql, `schedule_missed ${key.instance} ${key.id} ${tick.tick}`, JSON.stringify(change));
  return true;
}

/** Undefined when the tick was handled before. */
export function requestTick(
  { store, random }: ControlContext,
  sql: Sql,
  row: ScheduleRow,
  request: TickRequest,
): TickResult | undefined {
  const definition = readDefinition(row);
  const key = toKey(row);
  const catalogue = toSelectable(readCatalogue(sql, key.instance));
  const scenarios = selectScenarios(catalogue, definition);
  const selected = { matching: scenarios.length, unmatched: listUnmatched(catalogue, definition) };
  const { outcome, note } = chooseOutcome(sql, row, definition, selected, request);
  const { tick, unusedTick = tick, dueAtMs, nowMs } = request;
  const isRequested = outcome === 'requested' || outcome === 'requested_late';
  const record = { dueAtMs, handledAtMs: nowMs, outcome, note };
  const isNew = recordTick(sql, key, { ...record, tick: isRequested ? tick : unusedTick });
  if (!isRequested) return isNew || unusedTick !== tick ? { outcome, note, runIds: [] } : undefined;
  if (!isNew) return undefined;
  const requestedBy = `schedule ${key.id}`;
  const targetVersion = request.targetVersion ?? null;
  const suite = startSuite(
    store,
    sql,
    { instance_id: key.instance, requested_by: requestedBy, requested_at_ms: nowMs, target_version: targetVersion },
    { name: key.id, expected_runs: scenarios.length },
    { schedule_id: key.id },
  );
  const queued = insertRuns(
    sql,
    store.counters,
    {
      ...{ instance: key.instance, requestedBy, nowMs, prove: false, schedule: key.id, suite: suite.id },
      ...{ targetVersion, random: () => random.token(6) },
    },
    scenarios.map(({ scenario_id: scenario, revisionId }) => ({ scenario, revisionId })),
  );
  const runIds = queued.map(({ id }) => id);
  saveTickRuns(sql, key, tick, runIds);
  return { outcome, note, runIds };
}

function formatCount(count: number): string {
  if (count === 1) return '1 tick was';
  return `${count > maxCountedTicks - 1 ? 'at least ' : ''}${count} ticks were`;
}

/** Handles what a schedule has due by its times. Undefined when nothing is due, or another process has done it. */
export function handleDueTick(context: ControlContext, sql: Sql, key: ScheduleKey): TickResult | undefined {
  const row = findSchedule(sql, key.instance, key.id);
  if (!row || row.paused_at_ms !== null) return undefined;
  const definition = readDefinition(row);
  const nowMs = context.clock.nowMs();
  const elapsed = listElapsedTicks(row, definition, nowMs);
  if (!elapsed) {
    if (row.tick_at_ms === null) saveNextTick(sql, key, findNextTick(key, definition, nowMs));
    return undefined;
  }
  const { newestMs, newestDueMs, firstMs, earlierCount } = elapsed;
  saveNextTick(sql, key, findNextTick(key, definition, newestMs));
  const isLate = nowMs - newestDueMs > lateAfterMs;
  const missed = { dueAtMs: firstMs, handledAtMs: nowMs, outcome: 'missed' as const };
  if (earlierCount > 0) {
    const note = `${formatCount(earlierCount)} missed from ${formatTimestamp(firstMs)} on: the control plane did not run`;
    // Handled before where the clock went back since: that says nothing about the newest tick.
    recordTick(sql, key, { ...missed, tick: String(firstMs), note });
  }
  if (isLate && definition.missed === 'skip') {
    const note = 'missed: the control plane did not run';
    if (!recordTick(sql, key, { ...missed, dueAtMs: newestMs, tick: String(newestMs), note })) return undefined;
    return { outcome: 'missed', note, runIds: [] };
  }
  const lateNote = isLate
    ? `requested late, because the control plane did not run at ${formatTimestamp(newestMs)}`
    : undefined;
  return requestTick(context, sql, row, { tick: String(newestMs), dueAtMs: newestMs, nowMs, lateNote });
}

/**
 * Requests where a run has shown another version of the target than the one before. A target that answers with two versions
 * for a while makes the schedule's own runs show both: what they show is looked at once they are over.
 */
export function handleNewVersion(context: ControlContext, sql: Sql, key: ScheduleKey): TickResult | undefined {
  const row = findSchedule(sql, key.instance, key.id);
  const newest = findNewestTargetVersion(sql, key.instance);
  if (!row || row.paused_at_ms !== null || !newest || row.observed_version === newest.target_version) return undefined;
  if (row.observed_version !== null && countOpenRuns(sql, key) > 0) return undefined;
  saveObservedVersion(sql, key, newest.target_version);
  // The first version that is seen is not a change.
  if (row.observed_version === null) return undefined;
  const nowMs = context.clock.nowMs();
  const tick = `run ${newest.id}`;
  return requestTick(context, sql, row, { tick, dueAtMs: nowMs, nowMs });
}
