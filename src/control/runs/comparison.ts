/** Compares the runs of two versions of the target, branches or periods. */
import type { ComparedScenario, RunComparison, TargetVersionEntry } from '../../contract/comparison-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  type ComparisonChange,
  type ComparisonSide,
  compareSummaries,
  type ScenarioComparison,
} from '../../insight/comparison.ts';
import { formatRunId } from '../../run/run-id.ts';
import type { ComparedSelection, TargetVersionRow } from '../../store/control/runs/compared-runs.ts';
import type { ComparisonService } from '../control.ts';
import type { ReaderRuntime } from '../runtime.ts';
import { type ComparedSideRuns, type ComparedSides, createComparedSides, maxComparedRuns } from './compared-sides.ts';
import { createTargetVersions } from './target-versions.ts';

function describeSelection(selection: ComparedSelection): string {
  if (selection.kind === 'version') return `of the version ${selection.version}`;
  if (selection.kind === 'branch') return `of the branch ${selection.branch}`;
  return `from ${formatMinute(selection.sinceMs)} to ${formatMinute(selection.untilMs)} UTC`;
}

/** `2026-11-23 00:00`. */
function formatMinute(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** Throws COMPARISON_EMPTY. */
function describeSide(
  { rows }: ComparedSideRuns,
  instance: string,
  selection: ComparedSelection,
): RunComparison['base'] {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  // Without runs every scenario would seem to be new, or gone.
  if (!newest || !oldest) throw vpError('COMPARISON_EMPTY', { instance, side: describeSelection(selection) });
  return {
    target_version: selection.kind === 'version' ? selection.version : null,
    branch: selection.kind === 'branch' ? selection.branch : null,
    since: formatTimestamp(oldest.id),
    until: formatTimestamp(newest.id),
    runs: rows.length,
    complete: rows.length < maxComparedRuns,
  };
}

function toScenarioSide(side: ComparisonSide | null): ComparedScenario['base'] {
  if (!side) return null;
  const { passed, failed, notJudged, p50Ms, p95Ms, newestId, failures } = side;
  return {
    ...{ passed, failed, not_judged: notJudged, p50_ms: p50Ms, p95_ms: p95Ms },
    newest_run: formatRunId(newestId),
    failures: [...failures],
  };
}

function toComparedScenario(comparison: ScenarioComparison): ComparedScenario {
  const { scenario, change, failsMoreOften, speed, speedP, medianSpeed, medianP } = comparison;
  const { base, head, newFailures, quarantined } = comparison;
  return {
    ...{ scenario_id: scenario, change, fails_more_often: failsMoreOften, speed, speed_p: speedP },
    ...{ median_speed: medianSpeed, median_p: medianP },
    ...{ base: toScenarioSide(base), head: toScenarioSide(head), new_failures: [...newFailures], quarantined },
  };
}

/** Each side is read by itself, and compared after the reads: other requests wait for a part of the work only. */
async function compareSides(
  sides: ComparedSides,
  instance: string,
  base: ComparedSelection,
  head: ComparedSelection,
): Promise<RunComparison> {
  const baseSide = await sides.read(instance, base);
  const baseDescription = describeSide(baseSide, instance, base);
  await new Promise((resolve) => setImmediate(resolve));
  const headSide = await sides.read(instance, head);
  const headDescription = describeSide(headSide, instance, head);
  await new Promise((resolve) => setImmediate(resolve));
  const scenarios = compareSummaries(baseSide.runs, headSide.runs).map(toComparedScenario);
  const count = (matches: (scenario: ComparedScenario) => boolean): number => scenarios.filter(matches).length;
  const countChange = (name: ComparisonChange): number => count(({ change }) => change === name);
  return {
    base: baseDescription,
    head: headDescription,
    totals: {
      newly_failing: countChange('newly_failing'),
      flaky: countChange('flaky'),
      not_judged: countChange('not_judged'),
      failing_before: countChange('failing_before'),
      fixed: countChange('fixed'),
      added: countChange('added'),
      removed: countChange('removed'),
      unchanged: countChange('unchanged'),
    },
    slower: count(({ speed }) => speed === 'slower'),
    faster: count(({ speed }) => speed === 'faster'),
    scenarios,
  };
}

function toVersionEntry(row: TargetVersionRow): TargetVersionEntry {
  return {
    target_version: row.version,
    first_seen_at: formatTimestamp(row.first_run_id),
    last_seen_at: formatTimestamp(row.last_run_id),
    passed: row.passed,
    failed: row.failed,
  };
}

export function createComparisonService({ context: { store } }: ReaderRuntime): ComparisonService {
  const { database } = store;
  const sides = createComparedSides(database);
  const versions = createTargetVersions(database);
  return {
    compare: (instance, base, head) => compareSides(sides, instance, base, head),
    async compareNewest(instance) {
      const [head, base] = await versions.list(instance);
      if (!head || !base) throw vpError('COMPARISON_VERSIONS_MISSING', { instance });
      const toSelection = ({ version }: TargetVersionRow): ComparedSelection => ({ kind: 'version', version });
      return compareSides(sides, instance, toSelection(base), toSelection(head));
    },
    listTargetVersions: async (instance) => (await versions.list(instance)).map(toVersionEntry),
  };
}
