/**
 * The metrics of runs by name: what is scraped, asked for by the dashboard and the alerts, and documented. Units stand in
 * the names. `instance_id` has a value for each registered instance, `scenario_id` at most `maxScenarios` and `other`.
 */
import type { MetricShape } from './metrics.ts';

function shape<const L extends string>(name: string, help: string, labels: readonly L[]): MetricShape<L> {
  return { name, help, labels };
}

/** Told by the control plane. */
export const controlShapes = {
  runs: shape('vp_runs_total', 'Runs that ended, by result.', ['result']),
  requested: shape('vp_runs_requested_total', 'Runs that were requested.', []),
  executorsLost: shape('vp_executors_lost_total', 'Leases that ended without an answer.', []),
  duration: shape('vp_run_duration_seconds', 'Time from the start of a run to its verdict, of reports received.', [
    'result',
  ]),
  queued: shape('vp_run_queued_seconds', 'Time from the request of a run to its lease.', []),
  queue: shape('vp_queue_runs', 'Runs of an instance now.', ['instance_id', 'state']),
  seenAgo: shape(
    'vp_executor_seen_ago_seconds',
    'Time since the executor of an instance called last; absent until it has.',
    ['instance_id'],
  ),
} as const;

/** Told by each executor of its own runs, leased and direct. */
export const executorShapes = {
  runs: shape(
    'vp_executor_runs_total',
    'Runs that ended: passed, failed, not_judged (there was nothing to judge) or cancelled.',
    ['instance_id', 'result'],
  ),
  duration: shape(
    'vp_executor_run_duration_seconds',
    'Time from the moment the executor took a run up to its verdict, cancelled runs left out.',
    ['instance_id'],
  ),
  busy: shape('vp_executor_busy_seconds_total', 'Time with a run in hand.', ['instance_id']),
  connected: shape('vp_executor_connected', '1 while the control plane is reached, 0 while it is not.', [
    'instance_id',
  ]),
  evidence: shape(
    'vp_executor_evidence_up',
    '1 while the log or the database of the target can be read, 0 while it cannot; absent where there is none.',
    ['instance_id', 'source'],
  ),
  reportsWaiting: shape('vp_executor_reports_waiting', 'Reports that no control plane has acknowledged yet.', [
    'instance_id',
  ]),
  scenarioRuns: shape('vp_scenario_runs_total', 'Runs of a scenario that ended, by result as above.', [
    'instance_id',
    'scenario_id',
    'result',
  ]),
  scenarioSeconds: shape(
    'vp_scenario_run_seconds_total',
    'Time that runs of a scenario took, cancelled ones left out.',
    ['instance_id', 'scenario_id'],
  ),
  scenarioFlips: shape(
    'vp_scenario_result_changes_total',
    'How often a scenario passed after it had failed, or the reverse, while its text stayed the same.',
    ['instance_id', 'scenario_id'],
  ),
} as const;
