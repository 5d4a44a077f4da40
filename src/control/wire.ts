/** Rows of the store → wire forms of the contract. */
import type { Instance, Run, ScenarioDocument, ScenarioEntry } from '../contract/api.ts';
import type { Lease } from '../contract/executor-api.ts';
import { runIdOf } from '../run/run-id.ts';
import type { RevisionDocument, RevisionRow } from '../store/control/catalogue.ts';
import type { InstanceRow } from '../store/control/instances.ts';
import type { LeaseRow } from '../store/control/leases.ts';
import type { RunRow } from '../store/control/runs.ts';

/** RFC 3339 in UTC. */
export function momentOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function momentOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : momentOf(epochMs);
}

/** What the store does not know of an instance. */
export type Presence = { readonly status: Instance['executor_status']; readonly seenAtMs: number | null };

/** An instance as people see it. */
export function wireInstance(row: InstanceRow, presence: Presence, recommendedVersion: string): Instance {
  return {
    instance_id: row.id,
    tier: row.tier,
    executor_project: `platform-inst-${row.id}`,
    executor_port: row.executor_port,
    executor_status: presence.status,
    executor_version: row.executor_version,
    recommended_version: recommendedVersion,
    target: row.target,
    owner: row.owner_id === null ? null : { person_id: row.owner_id, name: row.owner_name ?? '' },
    created_at: momentOf(row.created_at_ms),
    last_seen_at: momentOrNull(presence.seenAtMs),
    running: row.running === null ? null : runIdOf(row.running),
    queued: row.queued,
  };
}

function resultOf(row: RunRow): Run['result'] {
  return row.state === 'passed' || row.state === 'failed' ? row.state : null;
}

/** A run as people see it. */
export function wireRun(row: RunRow): Run {
  return {
    run_id: runIdOf(row.id),
    correlation_id: row.correlation_id,
    instance: row.instance_id,
    scenario_id: row.scenario_id,
    title: row.title,
    revision: row.revision,
    state: row.state,
    result: resultOf(row),
    origin: row.origin,
    requested_by: row.requested_by,
    requested_at: momentOf(row.requested_at_ms),
    started_at: momentOrNull(row.started_at_ms),
    finished_at: momentOrNull(row.finished_at_ms),
    cancel_requested: row.cancel_requested === 1,
    queue_position: row.ahead,
    failure_kind: row.failure_kind,
    failure_message: row.failure_message,
    failure_summary: row.failure_summary,
    observed_status: row.observed_status,
    assertions_enforced_count: row.assertions_enforced_count,
    evidence_assertions_count: row.evidence_assertions_count,
    duration_ms: row.duration_ms,
  };
}

/** A lease as the executor gets it. */
export function wireLease(row: LeaseRow, leaseMs: number): Lease {
  return {
    run_id: runIdOf(row.id),
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

function tagsOf(json: string): string[] {
  const tags: unknown = JSON.parse(json);
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}

/** A scenario of the catalogue. */
export function wireScenario(row: RevisionRow): ScenarioEntry {
  return {
    scenario_id: row.scenario_id,
    title: row.title,
    layer: row.layer,
    tags: tagsOf(row.tags),
    revision: row.revision ?? 0,
    sha256: row.sha256,
    updated_at: momentOf(row.created_at_ms),
    updated_by: row.created_by,
  };
}

/** A scenario with its text. */
export function wireDocument(row: RevisionDocument): ScenarioDocument {
  return { ...wireScenario(row), text: row.text };
}
