/** Converts rows of the store to the contract's types. */

import type { DeletedScenario, Instance, Run, ScenarioDocument, ScenarioEntry } from '../contract/api.ts';
import type { Lease } from '../contract/executor-api.ts';
import { toInstanceProjectName } from '../contract/platform-names.ts';
import type { SuiteSource } from '../contract/suites-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../contract/timestamp.ts';
import { vpError } from '../errors/vp-error.ts';
import type { RunQuarantine } from '../run/quarantine.ts';
import { formatRunId, formatSuiteId } from '../run/run-id.ts';
import { getRunOutcome } from '../run/state.ts';
import type { RevisionDocument, RevisionRow } from '../store/control/instances/catalogue.ts';
import type { InstanceRow } from '../store/control/instances/instances.ts';
import type { DeletedScenarioRow } from '../store/control/instances/scenario-removal.ts';
import type { LeaseRow } from '../store/control/runs/leases.ts';
import type { RunRow } from '../store/control/runs/runs.ts';
import { parseTexts } from '../store/json-column.ts';
import { slicePage } from '../store/page.ts';
import type { PageQuery, ResultPage } from './control.ts';

/** The part of an instance's status that is not in the store. */
export type ExecutorPresence = { readonly status: Instance['executor_status']; readonly lastSeenAtMs: number | null };

/** Variables that the instance's executor allows in scenarios; undefined before its first hello. */
export function parseScenarioVariables({ scenario_variables: json }: InstanceRow): string[] | undefined {
  return json === null ? undefined : parseTexts(json);
}

export function toInstance(row: InstanceRow, presence: ExecutorPresence, recommendedVersion: string): Instance {
  const variables = parseScenarioVariables(row);
  return {
    instance_id: row.id,
    tier: row.tier,
    executor_project: toInstanceProjectName(row.id),
    executor_port: row.executor_port,
    executor_status: presence.status,
    executor_version: row.executor_version,
    recommended_version: recommendedVersion,
    target: row.target,
    owner: row.owner_id === null ? null : { person_id: row.owner_id, name: row.owner_name ?? '' },
    created_at: formatTimestamp(row.created_at_ms),
    last_seen_at: formatTimestampOrNull(presence.lastSeenAtMs),
    running: row.running === null ? null : formatRunId(row.running),
    queued: row.queued,
    stale_store: toStaleStore(row),
    ...(variables === undefined ? {} : { scenario_variables: variables }),
  };
}

function toStaleStore({ stale_journal_at_ms: journalMs, stale_control_at_ms: controlMs }: InstanceRow) {
  const newestMs = Math.max(journalMs ?? 0, controlMs ?? 0);
  if (newestMs === 0) return null;
  const store = newestMs === controlMs ? ('control plane' as const) : ('executor' as const);
  return { store, noticed_at: formatTimestamp(newestMs) };
}

/** Written by this program from a value of this type. */
export function parseRunQuarantine(json: string): RunQuarantine {
  return JSON.parse(json);
}

function toResult(row: RunRow): Run['result'] {
  return row.state === 'passed' || row.state === 'failed' ? row.state : null;
}

export function toRun(row: RunRow): Run {
  return {
    run_id: formatRunId(row.id),
    correlation_id: row.correlation_id,
    instance: row.instance_id,
    scenario_id: row.scenario_id,
    title: row.title,
    revision: row.revision,
    state: row.state,
    result: toResult(row),
    outcome: getRunOutcome(row.state, row.failure_kind) ?? null,
    origin: row.origin,
    requested_by: row.requested_by,
    requested_at: formatTimestamp(row.requested_at_ms),
    started_at: formatTimestampOrNull(row.started_at_ms),
    finished_at: formatTimestampOrNull(row.finished_at_ms),
    cancel_requested: row.cancel_requested === 1,
    queue_position: row.ahead,
    failure_kind: row.failure_kind,
    failure_message: row.failure_message,
    failure_summary: row.failure_summary,
    observed_status: row.observed_status,
    assertions_enforced_count: row.assertions_enforced_count,
    evidence_assertions_count: row.evidence_assertions_count,
    ...(row.target_process === null ? {} : { target_process: row.target_process }),
    ...(row.target_version === null ? {} : { target_version: row.target_version }),
    ...(row.failure_group === null ? {} : { failure: row.failure_group }),
    ...(row.quarantine === null ? {} : { quarantine: parseRunQuarantine(row.quarantine) }),
    ...(row.schedule_id === null ? {} : { schedule: row.schedule_id }),
    ...(row.suite_id === null ? {} : { suite: formatSuiteId(row.suite_id) }),
    ...(row.retry_of === null ? {} : { retry_of: formatRunId(row.retry_of) }),
    ...(row.owner === null ? {} : { owner: row.owner }),
    ...toRunSource(row),
    duration_ms: row.duration_ms,
    evidence_ms: row.evidence_ms ?? estimateEvidenceMs(row),
  };
}

function toRunSource(row: RunRow): Pick<Run, 'source'> {
  const source = toSuiteSource(row);
  return Object.keys(source).length === 0 ? {} : { source };
}

/** Without what is not known. */
export function toSuiteSource(row: Pick<RunRow, 'branch' | 'commit_id' | 'author' | 'ci_job' | 'ci_url'>): SuiteSource {
  const { branch, commit_id: commit, author, ci_job: job, ci_url: url } = row;
  const members = Object.entries({ branch, commit, author, job, url }).filter(([, value]) => value !== null);
  return Object.fromEntries(members);
}

/**
 * Of a run that ended before its row had the time: it ends when its log and database were read. Its steps, which came before the
 * answer, count too.
 */
function estimateEvidenceMs(row: RunRow): number | null {
  const { started_at_ms: startedAtMs, finished_at_ms: finishedAtMs, duration_ms: durationMs } = row;
  if (startedAtMs === null || finishedAtMs === null || durationMs === null) return null;
  return Math.max(0, Math.round(finishedAtMs - startedAtMs - durationMs));
}

export function toLease(row: LeaseRow, leaseMs: number): Lease {
  return {
    run_id: formatRunId(row.id),
    correlation_id: row.correlation_id,
    fence: row.fence,
    lease_ms: leaseMs,
    scenario_id: row.scenario_id,
    revision: row.revision,
    scenario_text: row.text,
    queued_ms: Math.max(0, row.leased_at_ms - row.requested_at_ms),
    cancel_requested: row.cancel_requested === 1,
    prove: row.prove === 1,
  };
}

export function toScenarioEntry(row: RevisionRow): ScenarioEntry {
  return {
    scenario_id: row.scenario_id,
    title: row.title,
    layer: row.layer,
    tags: parseTexts(row.tags),
    ...(row.owner === null ? {} : { owner: row.owner }),
    ...(row.links === null ? {} : { links: parseTexts(row.links) }),
    revision: row.revision ?? 0,
    sha256: row.sha256,
    updated_at: formatTimestamp(row.created_at_ms),
    updated_by: row.created_by,
    ...(row.restored_from === null ? {} : { restored_from: row.restored_from }),
  };
}

export function toDeletedScenario(row: DeletedScenarioRow): DeletedScenario {
  return {
    ...toScenarioEntry(row),
    deleted_at: formatTimestampOrNull(row.removed_at_ms),
    deleted_by: row.removed_by,
  };
}

export function toScenarioDocument(row: RevisionDocument): ScenarioDocument {
  return { ...toScenarioEntry(row), text: row.text };
}

/** `rows` must have one row more than `limit` when there is a next page. The cursor names the last row of the page. */
export function toPage<R, W>(
  rows: readonly R[],
  limit: number,
  toItem: (row: R) => W,
  toCursor: (row: R) => string,
): ResultPage<W> {
  const { items, last } = slicePage(rows, limit);
  return { items: items.map(toItem), next_cursor: last ? toCursor(last) : null };
}

/** The position that the cursor of a page names. Throws CURSOR_INVALID. */
export function parsePageCursor(
  { cursor }: PageQuery,
  parsePosition: (cursor: string) => number | undefined,
): number | undefined {
  if (cursor === undefined) return undefined;
  const position = parsePosition(cursor);
  if (position === undefined) throw vpError('CURSOR_INVALID', {});
  return position;
}
