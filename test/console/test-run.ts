import type { Run } from '../../src/contract/api.ts';

/** Creates a run of `shop` whose ID ends in `millisecond`. */
export function createTestRun(millisecond: number, overrides: Partial<Run> = {}): Run {
  return {
    run_id: `20261120T143012${String(millisecond).padStart(3, '0')}`,
    correlation_id: `tr-${millisecond}`,
    instance: 'shop',
    scenario_id: 'RT-COUNT',
    title: 'GET documents',
    revision: 1,
    state: 'passed',
    result: 'passed',
    outcome: 'passed',
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
    evidence_ms: 0,
    ...overrides,
  };
}
