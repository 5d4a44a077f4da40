import type { Run } from '../../src/contract/api.ts';

/** A run of `shop`; its id ends in `milli`. */
export function aRun(milli: number, parts: Partial<Run> = {}): Run {
  return {
    run_id: `20261120T143012${String(milli).padStart(3, '0')}`,
    correlation_id: `tr-${milli}`,
    instance: 'shop',
    scenario_id: 'RT-COUNT',
    title: 'GET documents',
    revision: 1,
    state: 'passed',
    result: 'passed',
    origin: 'queue',
    requested_by: 'ana',
    requested_at: '2026-11-20T14:30:12.000Z',
    started_at: null,
    finished_at: null,
    cancel_requested: false,
    queue_position: 0,
    failure_kind: null,
    failure_message: null,
    failure_summary: null,
    observed_status: 200,
    assertions_enforced_count: 1,
    evidence_assertions_count: 0,
    duration_ms: 10,
    ...parts,
  };
}
