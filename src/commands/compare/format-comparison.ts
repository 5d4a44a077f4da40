/** A comparison as text. */
import { changeLabels, isFailingAddition, listSpeedChanges, listSpeedTotals } from '../../contract/change-labels.ts';
import type { ComparedScenario, RunComparison, TargetVersionEntry } from '../../contract/comparison-api.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { formatDuration, formatPValue } from '../../report/measures.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import type { TableColumn } from '../../terminal/table.ts';

/** `flaky, fails more often, slower`. */
export function describeChange(scenario: ComparedScenario): string {
  const { change, fails_more_often: more, new_failures, quarantined } = scenario;
  return [
    changeLabels[change],
    ...(isFailingAddition(scenario) ? ['failing'] : []),
    ...(change === 'flaky' && more ? ['fails more often'] : []),
    ...(change === 'failing_before' && new_failures.length > 0 ? ['in another way'] : []),
    ...(quarantined ? ['in quarantine'] : []),
    ...listSpeedChanges(scenario),
  ].join(', ');
}

/** Also of an unchanged scenario whose duration changed. */
export function isWorthShowing(scenario: ComparedScenario): boolean {
  return scenario.change !== 'unchanged' || listSpeedChanges(scenario).length > 0;
}

function formatResults(side: ComparedScenario['base']): string {
  if (!side) return 'not run';
  const notJudged = side.not_judged === 0 ? '' : `, ${side.not_judged} not judged`;
  return `${side.passed} of ${side.passed + side.failed} passed${notJudged}`;
}

/** `p95 41 ms → 92 ms (p < 0.001), p50 38 ms → 39 ms (p = 0.37)`: each percentile with what its own test says. */
function formatTimes(scenario: ComparedScenario): string {
  const { base, head, speed_p: p, median_p: medianP } = scenario;
  if (!base || !head || listSpeedChanges(scenario).length === 0) return '';
  const format = (name: 'p95' | 'p50', probability: number | null | undefined): string => {
    const [before, after] = [base[`${name}_ms`], head[`${name}_ms`]].map((ms) => formatDuration(ms ?? 0));
    return `${name} ${before} → ${after}${probability == null ? '' : ` (${formatPValue(probability)})`}`;
  };
  return `${format('p95', p)}, ${format('p50', medianP)}`;
}

function styleChange(scenario: ComparedScenario, paint: TerminalPaint): (text: string) => string {
  const { change, speed, quarantined } = scenario;
  if (change === 'newly_failing' || isFailingAddition(scenario)) return quarantined ? paint.broken : paint.failed;
  if (change === 'fixed') return paint.passed;
  return change === 'flaky' || change === 'not_judged' || speed === 'slower' ? paint.broken : paint.faint;
}

export function buildComparisonColumns(paint: TerminalPaint): TableColumn<ComparedScenario>[] {
  return [
    { title: 'SCENARIO', text: ({ scenario_id: id }) => id, minWidth: 12 },
    { title: 'CHANGE', text: describeChange, style: (scenario) => styleChange(scenario, paint), minWidth: 12 },
    { title: 'BASE', text: ({ base }) => formatResults(base), optional: true },
    { title: 'HEAD', text: ({ head }) => formatResults(head), optional: true },
    { title: 'TIME', text: formatTimes, optional: true },
    { title: 'NEWEST RUN', text: ({ base, head }) => (head ?? base)?.newest_run ?? '', optional: true },
  ];
}

function formatSide(name: string, side: RunComparison['base']): string {
  const selection = side.target_version ?? (side.branch === null ? null : `branch ${side.branch}`);
  const selected = selection === null ? '' : `${escapeUnsafeLine(selection)}, `;
  const rest = side.complete ? '' : ' (the newest; there are more)';
  return `${name}  ${selected}${side.since} to ${side.until}, ${side.runs === 1 ? '1 run' : `${side.runs} runs`}${rest}\n`;
}

/** `2 newly failing, 1 fixed, 1 slower, 36 unchanged`. */
export function formatTotals(comparison: RunComparison): string {
  const counts = Object.entries(comparison.totals).map(([name, count]): [number, string] => [
    count,
    changeLabels[name as ComparedScenario['change']],
  ]);
  const all = [...counts.slice(0, -1), ...listSpeedTotals(comparison), ...counts.slice(-1)];
  return all.flatMap(([count, label]) => (count > 0 ? [`${count} ${label}`] : [])).join(', ');
}

export function formatComparisonHead(comparison: RunComparison): string {
  return `${formatSide('base', comparison.base)}${formatSide('head', comparison.head)}${formatTotals(comparison)}\n`;
}

export function buildVersionColumns(nowMs: number): TableColumn<TargetVersionEntry>[] {
  return [
    { title: 'VERSION', text: ({ target_version: version }) => version, minWidth: 10 },
    { title: 'PASSED', text: ({ passed }) => String(passed), alignRight: true },
    { title: 'FAILED', text: ({ failed }) => String(failed), alignRight: true },
    { title: 'FIRST SEEN', text: ({ first_seen_at: at }) => formatRelativeTime(at, nowMs) },
    { title: 'LAST SEEN', text: ({ last_seen_at: at }) => formatRelativeTime(at, nowMs) },
  ];
}
