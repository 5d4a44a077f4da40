/** What a status page makes public, and nothing else. */
import type { PublicScenario, PublicStatus } from '../../contract/status-pages-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import {
  type ScenarioSummary,
  type StatusScenario,
  type StatusSummary,
  summarizeStatus,
} from '../../insight/status-summary.ts';
import type { StatusPageRow } from '../../store/control/status-pages/status-pages.ts';
import { maxListedScenarios, windowDays } from './read-status.ts';

const maxFailures = 10;

/** In words of our own: messages and checks name values, paths and addresses. */
const failureReasons: Readonly<Record<string, string>> = {
  status_mismatch: 'another status than expected',
  body_mismatch: 'another response than expected',
  evidence_mismatch: 'the log or the database is not as expected',
  timeout: 'no response in time',
  target_unreachable: 'the application could not be reached',
};
const otherReason = 'could not be judged';

function toPublicScenario({ scenario, status, passed, failed, notJudged }: ScenarioSummary): PublicScenario {
  const { title, newest } = scenario;
  return {
    title,
    state: status,
    last_run_at: newest ? formatTimestamp(newest.atMs) : null,
    ...{ passed, failed, not_judged: notJudged },
  };
}

function listFailures(scenarios: readonly StatusScenario[]): PublicStatus['failures'] {
  return scenarios
    .flatMap(({ title, isQuarantined, history }) =>
      history.filter(({ outcome }) => outcome !== 'passed').map((run) => ({ title, isQuarantined, run })),
    )
    .sort((a, b) => b.run.atMs - a.run.atMs)
    .slice(0, maxFailures)
    .map(({ title, isQuarantined, run }) => ({
      scenario: title,
      at: formatTimestamp(run.atMs),
      reason: failureReasons[run.failureKind ?? 'body_mismatch'] ?? otherReason,
      quarantined: isQuarantined,
    }));
}

/** `12 passing`, `2 of 12 failing`, `9 of 12 passing, 1 in quarantine`. */
function describeStatus({ state, counts, quarantined }: StatusSummary): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const apart = quarantined.length > 0 ? `, ${quarantined.length} in quarantine` : '';
  if (state === 'no_runs') return `no runs${apart}`;
  if (state === 'stale') return counts.failing > 0 ? `stale, ${counts.failing} failing` : 'stale';
  if (state === 'failing') return `${counts.failing} of ${total} failing`;
  return `${counts.passing === total ? '' : `${counts.passing} of `}${total} passing${apart}`;
}

/** Titles need not be different: `GET invoices`, `GET invoices (2)`. */
function numberTitles(scenarios: readonly StatusScenario[]): StatusScenario[] {
  const counts = new Map<string, number>();
  return scenarios.map((scenario) => {
    const count = (counts.get(scenario.title) ?? 0) + 1;
    counts.set(scenario.title, count);
    return count === 1 ? scenario : { ...scenario, title: `${scenario.title} (${count})` };
  });
}

/** `selected`: in the order of their ids, so that numbers stay. */
export function toPublicStatus(page: StatusPageRow, selected: readonly StatusScenario[], nowMs: number): PublicStatus {
  const scenarios = numberTitles(selected);
  const staleAfterMs = page.stale_after_s === null ? undefined : page.stale_after_s * 1000;
  const summary = summarizeStatus(scenarios, { nowMs, staleAfterMs });
  const listed = summary.scenarios.slice(0, maxListedScenarios);
  const quarantined = summary.quarantined.slice(0, maxListedScenarios);
  return {
    title: page.title,
    state: summary.state,
    message: describeStatus(summary),
    last_run_at: summary.lastRunAtMs === undefined ? null : formatTimestamp(summary.lastRunAtMs),
    stale_after_s: Math.round(summary.staleAfterMs / 1000),
    window_days: windowDays,
    until: formatTimestamp(page.until_ms),
    counts: { ...summary.counts, quarantined: summary.quarantined.length },
    scenarios: listed.map(toPublicScenario),
    quarantined: quarantined.map(toPublicScenario),
    omitted_scenarios: scenarios.length - listed.length - quarantined.length,
    failures: listFailures(scenarios),
  };
}
