/**
 * Definitions of the run metrics, used for scraping, by the dashboard and the alerts, and in the documentation. Names
 * contain the unit. `instance_id` has a value per registered instance, `scenario_id` at most `maxScenarios` and `other`.
 */
import type { MetricDefinition } from './metrics.ts';

function defineMetric<const L extends string>(name: string, help: string, labels: readonly L[]): MetricDefinition<L> {
  return { name, help, labels };
}

/** Exposed by the control plane. */
export const controlPlaneMetrics = {
  runs: defineMetric('vp_runs_total', 'Finished runs, by result.', ['result']),
  requested: defineMetric('vp_runs_requested_total', 'Requested runs.', []),
  staleStores: defineMetric('vp_stale_stores_total', 'Stores that turned out to be older copies.', ['store']),
  executorsLost: defineMetric('vp_executors_lost_total', 'Leases that expired without a report.', []),
  duration: defineMetric(
    'vp_run_duration_seconds',
    'Time from the start of a run to its verdict, from received reports.',
    ['result'],
  ),
  queued: defineMetric('vp_run_queued_seconds', 'Time from the request of a run to its lease.', []),
  queue: defineMetric('vp_queue_runs', 'Current runs of an instance.', ['instance_id', 'state']),
  lastSeenAgo: defineMetric(
    'vp_executor_seen_ago_seconds',
    'Time since the last call of an instance’s executor; absent before the first call.',
    ['instance_id'],
  ),
  auditOpenCalls: defineMetric(
    'vp_audit_open_calls',
    'Hub calls that were recorded before they were sent and have no outcome yet (with --audit-intent).',
    [],
  ),
  auditUnknownCalls: defineMetric(
    'vp_audit_unknown_calls_total',
    'Hub calls found at the start whose outcome an earlier process did not record (with --audit-intent).',
    [],
  ),
  storeUp: defineMetric('vp_store_up', '1 while the store can be read and written, else 0, by its engine.', ['engine']),
  storeWrites: defineMetric(
    'vp_store_write_seconds',
    'Time from the request of a write of the control plane’s store to its commit.',
    ['engine'],
  ),
  replicas: defineMetric(
    'vp_replicas_connected',
    'Replicas of this control plane that live, this one included; absent with SQLite.',
    [],
  ),
  storeConnections: defineMetric(
    'vp_store_connections',
    'Connections to PostgreSQL that are used and idle; absent with SQLite.',
    ['state'],
  ),
  storeWaiting: defineMetric(
    'vp_store_operations_waiting',
    'Operations that wait for a connection to PostgreSQL; absent with SQLite.',
    [],
  ),
  storeHint: defineMetric(
    'vp_store_hint_up',
    '1 while commits of other processes in PostgreSQL are noticed by notifications, 0 by polling only; absent with SQLite.',
    [],
  ),
  clockJump: defineMetric(
    'vp_clock_jump_seconds',
    'How far the clock of the machine jumped, negative for back; 0 when it has settled. Nothing is deleted by age meanwhile.',
    [],
  ),
} as const;

/** Exposed by each executor, for its leased and direct runs. */
export const executorMetricDefinitions = {
  runs: defineMetric(
    'vp_executor_runs_total',
    'Finished runs: passed, failed, not_judged (there was nothing to judge) or cancelled.',
    ['instance_id', 'result'],
  ),
  instanceRuns: defineMetric(
    'vp_instance_runs_total',
    'Finished runs of the instance since its registration, by result, as the control plane counts them.',
    ['instance_id', 'result'],
  ),
  instanceRegistered: defineMetric(
    'vp_instance_registered_timestamp_seconds',
    'When the instance was registered, in seconds since 1970.',
    ['instance_id'],
  ),
  duration: defineMetric(
    'vp_executor_run_duration_seconds',
    'Time from the start of a run to its response, as reports say it, excluding cancelled runs.',
    ['instance_id'],
  ),
  busy: defineMetric('vp_executor_busy_seconds_total', 'Time spent on runs.', ['instance_id']),
  connected: defineMetric('vp_executor_connected', '1 while connected to the control plane, else 0.', ['instance_id']),
  evidence: defineMetric(
    'vp_executor_evidence_up',
    '1 while the log or the database of the target can be read, else 0; absent without such a source.',
    ['instance_id', 'source'],
  ),
  reportsWaiting: defineMetric(
    'vp_executor_reports_waiting',
    'Reports that the control plane has not acknowledged yet.',
    ['instance_id'],
  ),
  scenarioRuns: defineMetric('vp_scenario_runs_total', 'Finished runs of a scenario, by result.', [
    'instance_id',
    'scenario_id',
    'result',
  ]),
  scenarioSeconds: defineMetric(
    'vp_scenario_run_seconds_total',
    'Total duration of runs of a scenario, excluding cancelled runs.',
    ['instance_id', 'scenario_id'],
  ),
  scenarioFlips: defineMetric(
    'vp_scenario_result_changes_total',
    'Changes between passed and failed of a scenario with unchanged text.',
    ['instance_id', 'scenario_id'],
  ),
} as const;
