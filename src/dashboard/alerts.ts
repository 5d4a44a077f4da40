/** What is wrong, as rules for Prometheus: each becomes an alert of its own, and a line at the top of the dashboard. */
import { stringify } from 'yaml';

/** A rule. `summary` and `cure` may use `{{ $labels.instance_id }}`, as Prometheus fills it in. */
export type AlertRule = {
  readonly name: string;
  readonly query: string;
  /** How long it must hold. */
  readonly lasts: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  readonly cure: string;
};

const ended = 'vp_executor_runs_total{result=~"passed|failed|not_judged"}[30m]';

/** All rules. */
export const alertRules: readonly AlertRule[] = [
  {
    name: 'VpExecutorAway',
    query: 'max by (instance_id) (vp_executor_seen_ago_seconds) > 120',
    lasts: '1m',
    severity: 'critical',
    summary: 'The executor of {{ $labels.instance_id }} has not called its control plane for more than 2 minutes',
    cure: 'is it running? `docker compose -p platform-inst-{{ $labels.instance_id }} ps`',
  },
  {
    name: 'VpExecutorDisconnected',
    query: 'max by (instance_id) (vp_executor_connected) == 0',
    lasts: '2m',
    severity: 'critical',
    summary: 'The executor of {{ $labels.instance_id }} does not reach its control plane',
    cure: 'its log says why: `docker compose -p platform-inst-{{ $labels.instance_id }} logs executor`',
  },
  {
    name: 'VpEvidenceUnavailable',
    query: 'min by (instance_id, source) (vp_executor_evidence_up) == 0',
    lasts: '5m',
    severity: 'warning',
    summary: 'The executor of {{ $labels.instance_id }} cannot read the {{ $labels.source }} of its target',
    cure: 'is it there? `vp doctor` says what is in the way',
  },
  {
    name: 'VpScrapeFailed',
    query: 'up{job=~"vp-.+"} == 0',
    lasts: '2m',
    severity: 'warning',
    summary: 'Prometheus gets no metrics from {{ $labels.job }} at {{ $labels.instance }}',
    cure: 'http://127.0.0.1:9095/targets says why',
  },
  {
    name: 'VpRunsFailing',
    query:
      `sum by (instance_id) (increase(vp_executor_runs_total{result="passed"}[30m]))` +
      ` / (sum by (instance_id) (increase(${ended})) > 5) < 0.5`,
    lasts: '5m',
    severity: 'warning',
    summary: 'Less than half of the runs of {{ $labels.instance_id }} passed in the last 30 minutes',
    cure: '`vp runs --instance {{ $labels.instance_id }} --state failed` says what came instead',
  },
  {
    name: 'VpRunsNotJudged',
    query: 'sum by (instance_id) (increase(vp_executor_runs_total{result="not_judged"}[15m])) > 3',
    lasts: '1m',
    severity: 'warning',
    summary: 'Runs of {{ $labels.instance_id }} end without an answer to judge',
    cure: 'is the target up? `vp runs --instance {{ $labels.instance_id }} --state failed` says what is in the way',
  },
  {
    name: 'VpQueueLong',
    query: 'max by (instance_id) (vp_queue_runs{state="queued"}) > 50',
    lasts: '15m',
    severity: 'warning',
    summary: 'More than 50 runs of {{ $labels.instance_id }} wait, for 15 minutes or more',
    cure: 'request fewer at a time, or cancel some with `vp runs cancel`; an instance executes one run at a time',
  },
  {
    name: 'VpLeasesLost',
    query: 'increase(vp_executors_lost_total[15m]) > 0',
    lasts: '0m',
    severity: 'warning',
    summary: 'A run ended because its executor gave no sign of life',
    cure: '`vp instances` says which executor is away, `vp runs --state failed` which run it was',
  },
  {
    name: 'VpReportsWaiting',
    query: 'max by (instance_id) (vp_executor_reports_waiting) > 0',
    lasts: '10m',
    severity: 'warning',
    summary: 'Reports of {{ $labels.instance_id }} have not been handed in for 10 minutes',
    cure: 'nothing is lost: they are sent as soon as the control plane answers',
  },
];

/** The rules as a file for Prometheus. */
export function alertsText(): string {
  const rules = alertRules.map(({ name, query, lasts, severity, summary, cure }) => ({
    alert: name,
    expr: query,
    for: lasts,
    labels: { severity },
    annotations: { summary, cure },
  }));
  return stringify({ groups: [{ name: 'vp', rules }] }, { lineWidth: 0 });
}

const unknown = {
  severity: 'warning',
  summary: 'An alert of Prometheus is on',
  cure: 'see http://127.0.0.1:9095/alerts',
};

/** An alert that is on, from the labels that Prometheus gives it, in the words of its rule. */
export function alertOf(labels: Readonly<Record<string, string>>) {
  const { alertname: name = 'unknown' } = labels;
  const { severity, summary, cure } = alertRules.find((rule) => rule.name === name) ?? unknown;
  const told = (text: string): string =>
    text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? 'one');
  return { name, severity, instance: labels.instance_id ?? null, summary: told(summary), cure: told(cure) };
}
