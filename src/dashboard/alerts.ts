/** Alert rules for Prometheus. Firing alerts are listed at the top of the dashboard. */
import { stringify } from 'yaml';
import { toInstanceProjectName } from '../contract/platform-names.ts';

/** `summary` and `cure` may contain `{{ $labels.instance_id }}`, which Prometheus replaces. */
export type AlertRule = {
  readonly name: string;
  readonly query: string;
  /** How long the condition must hold before the alert fires. */
  readonly holdsFor: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  readonly cure: string;
};

const instanceProject = toInstanceProjectName('{{ $labels.instance_id }}');
const endedRuns = 'vp_instance_runs_total{result=~"passed|failed|not_judged"}[30m]';

export const alertRules: readonly AlertRule[] = [
  {
    name: 'VpExecutorAway',
    query: 'max by (instance_id) (vp_executor_seen_ago_seconds) > 120',
    holdsFor: '1m',
    severity: 'critical',
    summary: 'The executor of {{ $labels.instance_id }} has not contacted its control plane for more than 2 minutes',
    cure: `check whether it is running: \`docker compose -p ${instanceProject} ps\``,
  },
  {
    name: 'VpExecutorDisconnected',
    query: 'max by (instance_id) (vp_executor_connected) == 0',
    holdsFor: '2m',
    severity: 'critical',
    summary: 'The executor of {{ $labels.instance_id }} cannot reach its control plane',
    cure: `read its log: \`docker compose -p ${instanceProject} logs executor\``,
  },
  {
    name: 'VpEvidenceUnavailable',
    query: 'min by (instance_id, source) (vp_executor_evidence_up) == 0',
    holdsFor: '5m',
    severity: 'warning',
    summary: 'The executor of {{ $labels.instance_id }} cannot read the {{ $labels.source }} of its target',
    cure: 'run `vp doctor` to find out why',
  },
  {
    name: 'VpScrapeFailed',
    query: 'up{job=~"vp-.+"} == 0',
    holdsFor: '2m',
    severity: 'warning',
    summary: 'Prometheus cannot scrape {{ $labels.job }} at {{ $labels.instance }}',
    cure: 'see the reason at http://127.0.0.1:9095/targets',
  },
  {
    name: 'VpRunsFailing',
    query:
      `sum by (instance_id) (increase(vp_instance_runs_total{result="passed"}[30m]))` +
      ` / (sum by (instance_id) (increase(${endedRuns})) > 5) < 0.5`,
    holdsFor: '5m',
    severity: 'warning',
    summary: 'Less than half of the runs of {{ $labels.instance_id }} passed in the last 30 minutes',
    cure: 'list the failures with `vp runs --instance {{ $labels.instance_id }} --state failed`',
  },
  {
    name: 'VpRunsNotJudged',
    query: 'sum by (instance_id) (increase(vp_instance_runs_total{result="not_judged"}[15m])) > 3',
    holdsFor: '1m',
    severity: 'warning',
    summary: 'Runs of {{ $labels.instance_id }} end without a response to judge',
    cure: 'check whether the target is running, and list the failures with `vp runs --instance {{ $labels.instance_id }} --state failed`',
  },
  {
    name: 'VpQueueLong',
    query: 'max by (instance_id) (vp_queue_runs{state="queued"}) > 50',
    holdsFor: '15m',
    severity: 'warning',
    summary: 'More than 50 runs of {{ $labels.instance_id }} have been waiting for 15 minutes',
    cure: 'request fewer at a time, or cancel some with `vp runs cancel`; an instance executes one run at a time',
  },
  {
    name: 'VpLeasesLost',
    query: 'increase(vp_executors_lost_total[15m]) > 0',
    holdsFor: '0m',
    severity: 'warning',
    summary: 'A run ended because its executor stopped sending heartbeats',
    cure: 'find the executor with `vp instances` and the run with `vp runs --state failed`',
  },
  {
    name: 'VpReportsWaiting',
    query: 'max by (instance_id) (vp_executor_reports_waiting) > 0',
    holdsFor: '10m',
    severity: 'warning',
    summary: 'Reports of {{ $labels.instance_id }} have not been delivered for 10 minutes',
    cure: 'no data is lost: they are sent as soon as the control plane responds',
  },
];

/** Formats the rules as a file for Prometheus. */
export function formatAlertRules(): string {
  const rules = alertRules.map(({ name, query, holdsFor, severity, summary, cure }) => ({
    alert: name,
    expr: query,
    for: holdsFor,
    labels: { severity },
    annotations: { summary, cure },
  }));
  return stringify({ groups: [{ name: 'vp', rules }] }, { lineWidth: 0 });
}

const unknownAlert = {
  severity: 'warning',
  summary: 'A Prometheus alert is firing',
  cure: 'see http://127.0.0.1:9095/alerts',
};

/** Describes a firing alert, given by its labels, with the texts of its rule. */
export function describeAlert(labels: Readonly<Record<string, string>>) {
  const { alertname: name = 'unknown' } = labels;
  const { severity, summary, cure } = alertRules.find((rule) => rule.name === name) ?? unknownAlert;
  const fillLabels = (text: string): string =>
    text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? 'one');
  return { name, severity, instance: labels.instance_id ?? null, summary: fillLabels(summary), cure: fillLabels(cure) };
}
